package files

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/quote"
	"openclaw/toolwasm/guest/sys"
)

// What one command line of -exec … + may hold.
const (
	execMaxBytes = 128 << 10
	execMaxArgs  = 4096
)

// print returns the action that writes the name and a terminator to standard output.
func (f *finder) print(end byte) test { return f.printTo(f.p.Out(), end) }

func (f *finder) printTo(w *bufio.Writer, end byte) test {
	return func(v *visit) bool {
		_, _ = w.WriteString(v.path)
		_ = w.WriteByte(end)
		return true
	}
}

// actionWithoutFile reads the actions that take no argument or a command.
func (q *findParser) actionWithoutFile(name string) (t test, err error, ok bool) {
	f := q.f
	switch name {
	case "-print":
		t = f.print('\n')
	case "-print0":
		t = f.print(0)
	case "-ls":
		t = f.list(f.p.Out())
	case "-delete":
		f.depth = true
		t = f.delete
	case "-exec", "-execdir", "-ok", "-okdir":
		t, err = q.command(name)
	default:
		return nil, nil, false
	}
	q.hasAction = true
	return t, err, true
}

// output reads the actions that write to a file or by a format.
func (q *findParser) output(name, arg string) (t test, err error, ok bool) {
	f := q.f
	switch name {
	case "-printf":
		t, err = q.printf(f.p.Out(), arg)
	case "-fprint", "-fprint0", "-fprintf", "-fls":
		var w *bufio.Writer
		if w, err = f.open(arg); err != nil {
			break
		}
		switch name {
		case "-fprint":
			t = f.printTo(w, '\n')
		case "-fprint0":
			t = f.printTo(w, 0)
		case "-fls":
			t = f.list(w)
		default:
			var format string
			if format, err = q.argument(name); err == nil {
				t, err = q.printf(w, format)
			}
		}
	default:
		return nil, nil, false
	}
	q.hasAction = true
	return t, err, true
}

// open makes the file of -fprint and its kin. It exists even when nothing is written to it.
func (f *finder) open(name string) (*bufio.Writer, error) {
	file, err := f.p.Create(name)
	if err != nil {
		return nil, complain("%s: %s", quote.Locale(name), sys.Strerror(err))
	}
	w := bufio.NewWriter(file)
	f.cleanups = append(f.cleanups, func() {
		err := w.Flush()
		if e := file.Close(); err == nil {
			err = e
		}
		if err != nil {
			f.errorf("%s: %s", quote.Locale(name), sys.Strerror(err))
		}
	})
	return w, nil
}

func (f *finder) delete(v *visit) bool {
	if v.path == "." {
		return true
	}
	full := f.p.Path(v.path)
	var err error
	if f.stat(v); v.kind == 'd' {
		err = sys.Rmdir(full)
	} else {
		err = sys.Unlink(full)
	}
	if err == nil || errors.Is(err, fs.ErrNotExist) && v.depth > 0 {
		return true
	}
	f.errorf("cannot delete %s: %s", quote.Locale(v.path), sys.Strerror(err))
	return false
}

// execution is one -exec or its kin.
type execution struct {
	f     *finder
	argv  []string
	inDir bool // run in the file's directory
	ask   bool

	batch []string // waiting names, for +
	bytes int
	dir   string
}

// command reads the words of -exec up to ; or {} +.
func (q *findParser) command(name string) (test, error) {
	e := &execution{f: q.f, inDir: strings.HasSuffix(name, "dir"), ask: strings.HasPrefix(name, "-ok")}
	many := false
	for {
		if q.i >= len(q.args) {
			return nil, complain("missing argument to %s", quoteTick(name))
		}
		word := q.args[q.i]
		q.i++
		if word == ";" {
			break
		}
		if word == "+" && len(e.argv) > 0 && e.argv[len(e.argv)-1] == "{}" && !e.ask {
			many = true
			break
		}
		e.argv = append(e.argv, word)
	}
	if len(e.argv) == 0 {
		return nil, complain("invalid argument %s to %s", quoteTick(";"), quoteTick(name))
	}
	if !many {
		return e.once, nil
	}
	e.argv = e.argv[:len(e.argv)-1]
	if len(e.argv) == 0 {
		return nil, complain("invalid argument %s to %s", quoteTick("{}"), quoteTick(name))
	}
	for _, w := range e.argv {
		if strings.Contains(w, "{}") {
			return nil, complain("Only one instance of {} is supported with %s ... +", name)
		}
	}
	q.f.cleanups = append(q.f.cleanups, e.flush)
	return e.add, nil
}

// target returns the name that the command gets, and where it runs.
func (e *execution) target(v *visit) (name, dir string) {
	if !e.inDir {
		return v.path, ""
	}
	base := baseName(v.path)
	if base == "/" {
		return "/", "/"
	}
	return "./" + base, e.f.p.Path(dirName(v.path))
}

func (e *execution) once(v *visit) bool {
	name, dir := e.target(v)
	argv := make([]string, len(e.argv))
	for i, w := range e.argv {
		argv[i] = strings.ReplaceAll(w, "{}", name)
	}
	if e.ask {
		question := fmt.Sprintf("< %s ... %s > ? ", argv[0], v.path)
		_ = e.f.p.Flush()
		_, _ = io.WriteString(e.f.p.Stderr, question)
		if a := readAnswer(e.f.p); !strings.HasPrefix(a, "y") && !strings.HasPrefix(a, "Y") {
			return false
		}
	}
	return e.run(argv, dir) == 0
}

func (e *execution) add(v *visit) bool {
	name, dir := e.target(v)
	if e.inDir && len(e.batch) > 0 && dir != e.dir {
		e.flush()
	}
	if len(e.batch) >= execMaxArgs || e.bytes+len(name) > execMaxBytes {
		e.flush()
	}
	e.batch, e.dir = append(e.batch, name), dir
	e.bytes += len(name) + 1
	return true
}

func (e *execution) flush() {
	if len(e.batch) == 0 {
		return
	}
	argv := append(append([]string(nil), e.argv...), e.batch...)
	e.batch, e.bytes = e.batch[:0], 0
	if e.run(argv, e.dir) != 0 {
		e.f.failed = true
	}
}

func (e *execution) run(argv []string, dir string) int {
	p := e.f.p
	_ = p.Flush()
	if !strings.Contains(argv[0], "/") {
		if _, ok := p.LookPath(p, argv[0]); !ok {
			p.Errorf("%s: No such file or directory", quote.Locale(argv[0]))
			return command.StatusNotFound
		}
	}
	spec := command.Spec{Argv: argv, Dir: dir}
	if e.ask {
		spec.Stdin = strings.NewReader("")
	}
	return p.Spawn(p, spec)
}
