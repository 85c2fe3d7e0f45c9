package differ

import (
	"fmt"
	"sort"
	"strings"

	"openclaw/toolwasm/guest/sys"
)

// directories compares two directories; one of them may not exist.
func (d *differ) directories(a, b node) int {
	listA, ok := d.list(a)
	if !ok {
		return trouble
	}
	listB, ok := d.list(b)
	if !ok {
		return trouble
	}
	status := same
	i, j := 0, 0
	for i < len(listA) || j < len(listB) {
		var nameA, nameB string
		switch c := d.order(listA[i:], listB[j:]); {
		case c < 0:
			nameA = listA[i]
			i++
		case c > 0:
			nameB = listB[j]
			j++
		default:
			nameA, nameB = listA[i], listB[j]
			i++
			j++
		}
		status = max(status, d.pair(a, b, nameA, nameB))
	}
	return status
}

// order compares the first names of two lists; an empty list comes last.
func (d *differ) order(a, b []string) int {
	switch {
	case len(a) == 0:
		return 1
	case len(b) == 0:
		return -1
	case d.foldNames:
		return strings.Compare(strings.ToLower(a[0]), strings.ToLower(b[0]))
	}
	return strings.Compare(a[0], b[0])
}

func (d *differ) list(n node) ([]string, bool) {
	if !n.ok {
		return nil, true
	}
	entries, err := sys.ReadDir(d.p.Path(n.name))
	if err != nil {
		d.p.Errorf("%s: %s", n.name, sys.Strerror(err))
		return nil, false
	}
	var names []string
	for _, e := range entries {
		if !d.excluded(e.Name()) && (d.start == "" || e.Name() >= d.start) {
			names = append(names, e.Name())
		}
	}
	if d.foldNames {
		sort.SliceStable(names, func(i, j int) bool { return strings.ToLower(names[i]) < strings.ToLower(names[j]) })
	}
	return names, true
}

func (d *differ) excluded(name string) bool {
	for _, g := range d.exclude {
		if g.Match(name) {
			return true
		}
	}
	return false
}

// pair compares what two directories hold under one name. A missing side has an empty name.
func (d *differ) pair(a, b node, nameA, nameB string) int {
	saved := d.start
	d.start = ""
	defer func() { d.start = saved }()
	look := func(dir node, name, other string) (node, error) {
		if name == "" {
			return node{name: join(dir.name, other)}, nil
		}
		return d.look(join(dir.name, name))
	}
	na, errA := look(a, nameA, nameB)
	nb, errB := look(b, nameB, nameA)
	for _, e := range []struct {
		n   node
		err error
	}{{na, errA}, {nb, errB}} {
		if e.err != nil {
			d.p.Errorf("%s: %s", e.n.name, sys.Strerror(e.err))
			return trouble
		}
	}
	switch {
	case !na.ok && !d.mayMiss(true):
		fmt.Fprintf(d.out, "Only in %s: %s\n", b.name, nameB)
		return differs
	case !nb.ok && !d.newFile:
		fmt.Fprintf(d.out, "Only in %s: %s\n", a.name, nameA)
		return differs
	case (!na.ok && nb.info.IsDir() || !nb.ok && na.info.IsDir()) && !d.recursive:
		// Without -r a directory on one side only is not entered, even with -N.
		dir, name := a.name, nameA
		if !na.ok {
			dir, name = b.name, nameB
		}
		fmt.Fprintf(d.out, "Only in %s: %s\n", dir, name)
		return differs
	}
	return d.compare(na, nb, true)
}
