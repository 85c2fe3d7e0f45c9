package git

import (
	"io/fs"
	"slices"
	"strings"

	"openclaw/toolwasm/guest/git/object"
	"openclaw/toolwasm/guest/sys"
)

// fileVersion reads a file that belongs to no repository.
func (g *git) fileVersion(name string) (version, error) {
	v := version{path: name, file: true}
	if name == "/dev/null" {
		return version{path: name}, nil
	}
	if name == "-" {
		data, err := g.p.ReadFile("-")
		return version{path: "-", mode: object.FileMode, data: data, loaded: true, id: object.Hash(object.BlobKind, data)}, err
	}
	info, err := g.p.Lstat(name)
	if err != nil {
		return v, &fileError{name, err}
	}
	switch {
	case info.IsDir():
		v.mode = object.DirMode
		return v, nil
	case info.IsLink():
		v.mode = object.LinkMode
		target, err := sys.Readlink(g.p.Path(name))
		v.data, v.loaded = []byte(target), true
		v.id = object.Hash(object.BlobKind, v.data)
		return v, err
	case info.Mode&0o100 != 0:
		v.mode = object.ExecMode
	default:
		v.mode = object.FileMode
	}
	if info.Size > object.MaxSize {
		return v, &fileError{name, object.ErrTooLarge}
	}
	v.data, err = g.p.ReadFile(name)
	if err != nil {
		return v, &fileError{name, err}
	}
	v.loaded, v.id = true, object.Hash(object.BlobKind, v.data)
	return v, nil
}

func (g *git) compareDirs(a, b string, depth int) ([]change, error) {
	names := map[string]int{}
	for i, dir := range []string{a, b} {
		entries, err := sys.ReadDir(g.p.Path(dir))
		if err != nil {
			return nil, &fileError{dir, err}
		}
		for _, e := range entries {
			names[e.Name()] |= 1 << i
		}
	}
	sorted := make([]string, 0, len(names))
	for n := range names {
		sorted = append(sorted, n)
	}
	slices.Sort(sorted)
	var list []change
	for _, n := range sorted {
		g.step()
		x, y := strings.TrimSuffix(a, "/")+"/"+n, strings.TrimSuffix(b, "/")+"/"+n
		var more []change
		var err error
		switch names[n] {
		case 1:
			more, err = g.oneFile(x, y, depth, true)
		case 2:
			more, err = g.oneFile(y, x, depth, false)
		default:
			more, err = g.compareFiles(x, y, depth+1)
		}
		if err != nil {
			return nil, err
		}
		list = append(list, more...)
	}
	return list, nil
}

// oneFile lists what only one of two directories has.
func (g *git) oneFile(name, other string, depth int, gone bool) ([]change, error) {
	v, err := g.fileVersion(name)
	if err != nil {
		return nil, err
	}
	if v.mode.IsDir() {
		if depth > object.MaxTreeDepth {
			return nil, &fileError{name, fs.ErrInvalid}
		}
		entries, err := sys.ReadDir(g.p.Path(name))
		if err != nil {
			return nil, &fileError{name, err}
		}
		var list []change
		for _, e := range entries {
			more, err := g.oneFile(name+"/"+e.Name(), other+"/"+e.Name(), depth+1, gone)
			if err != nil {
				return nil, err
			}
			list = append(list, more...)
		}
		return list, nil
	}
	if gone {
		return []change{{status: 'D', old: v, new: version{path: name}}}, nil
	}
	return []change{{status: 'A', old: version{path: name}, new: v}}, nil
}
