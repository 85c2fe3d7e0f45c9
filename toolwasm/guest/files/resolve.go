package files

import (
	"io/fs"
	"strings"
	"syscall"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/sys"
)

// resolveMode says what has to exist of a name that is made canonical.
type resolveMode int

const (
	resolveExisting   resolveMode = iota // everything: -e
	resolveAllButLast                    // all but the last component: -f
	resolveAny                           // nothing: -m
)

// maxLinks is how many symbolic links a name may cross.
const maxLinks = 40

// resolve returns the canonical absolute name: no links, no "." or "..".
func resolve(p *command.Proc, name string, mode resolveMode) (string, error) {
	if name == "" {
		return "", &fs.PathError{Op: "resolve", Path: name, Err: syscall.ENOENT}
	}
	r := resolver{p: p, mode: mode, rest: components(p.Path(name)), mustDir: strings.HasSuffix(name, "/")}
	return r.run(name)
}

func components(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return r == '/' })
}

type resolver struct {
	p       *command.Proc
	mode    resolveMode
	done    []string
	rest    []string
	links   int
	mustDir bool
	missing bool // a component was not there; the rest is taken as it is
}

func (r *resolver) path() string { return "/" + strings.Join(r.done, "/") }

func (r *resolver) run(name string) (string, error) {
	fail := func(err error) (string, error) {
		return "", &fs.PathError{Op: "resolve", Path: name, Err: err}
	}
	for len(r.rest) > 0 {
		part := r.rest[0]
		r.rest = r.rest[1:]
		switch part {
		case ".":
			continue
		case "..":
			if len(r.done) > 0 {
				r.done = r.done[:len(r.done)-1]
			}
			continue
		}
		r.done = append(r.done, part)
		if r.missing {
			continue
		}
		if err := r.step(); err != nil {
			return fail(err)
		}
	}
	return r.path(), nil
}

// step looks at the component just appended.
func (r *resolver) step() error {
	info, err := sys.Lstat(r.path())
	last := len(r.rest) == 0
	if err != nil {
		if r.mode == resolveAny || (r.mode == resolveAllButLast && last) {
			r.missing = true
			return nil
		}
		return err
	}
	if info.IsLink() {
		return r.link(info)
	}
	if (!last || r.mustDir) && !info.IsDir() {
		if r.mode == resolveAny {
			return nil
		}
		return syscall.ENOTDIR
	}
	return nil
}

func (r *resolver) link(sys.Info) error {
	if r.links++; r.links > maxLinks {
		if r.mode == resolveAny {
			r.missing = true
			return nil
		}
		return syscall.ELOOP
	}
	target, err := sys.Readlink(r.path())
	if err != nil {
		return err
	}
	r.done = r.done[:len(r.done)-1]
	if strings.HasPrefix(target, "/") {
		r.done = r.done[:0]
	}
	r.rest = append(components(target), r.rest...)
	return nil
}
