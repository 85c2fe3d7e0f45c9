package shell

import (
	"errors"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"syscall"

	"openclaw/toolwasm/guest/shell/syntax"
	"openclaw/toolwasm/guest/sys"
)

// savedFD is what a descriptor referred to before a redirection.
type savedFD struct {
	fd   int
	file *file
}

// redirect applies redirections. When one fails, which is reported, ok is false; what has been done must be undone in
// either case.
func (sh *Shell) redirect(list []*syntax.Redir) (undo []savedFD, ok bool) {
	for _, r := range list {
		if r.Line > 0 {
			sh.line = r.Line
		}
		var done bool
		undo, done = sh.redirectOne(undo, r)
		if !done || sh.ctl != ctlNone {
			return undo, false
		}
	}
	return undo, true
}

// put makes a descriptor refer to a file and remembers what it was.
func (sh *Shell) put(undo []savedFD, fd int, f *file) []savedFD {
	return append(undo, savedFD{fd, sh.setFD(fd, f)})
}

// undo takes redirections back.
func (sh *Shell) undo(list []savedFD) {
	for i := len(list) - 1; i >= 0; i-- {
		sh.setFD(list[i].fd, list[i].file).syncUnref()
	}
}

// keepRedirects makes redirections last, as exec does.
func (sh *Shell) keepRedirects(list []savedFD) {
	for i := len(list) - 1; i >= 0; i-- {
		list[i].file.syncUnref()
	}
}

// redirTarget expands the word of a redirection to one name.
func (sh *Shell) redirTarget(r *syntax.Redir) (string, bool) {
	if r.Target.Plain {
		return r.Target.Lit, true
	}
	words := sh.fields(nil, r.Target)
	if sh.ctl != ctlNone {
		return "", false
	}
	if len(words) != 1 {
		sh.errorf("%s: ambiguous redirect", r.Target.Src)
		return "", false
	}
	return words[0], true
}

func (sh *Shell) redirectOne(undo []savedFD, r *syntax.Redir) ([]savedFD, bool) {
	switch r.Op {
	case "<<", "<<-", "<<<":
		return sh.redirectText(undo, r)
	case "<&", ">&":
		return sh.redirectDup(undo, r)
	}
	name, ok := sh.redirTarget(r)
	if !ok {
		return undo, false
	}
	if r.Op == "&>" || r.Op == "&>>" {
		return sh.redirectBoth(undo, r.Op[1:], name)
	}
	f, err := sh.open(name, r.Op)
	if err != nil {
		return undo, sh.openFailed(name, err)
	}
	fd := r.FD
	if fd < 0 {
		fd = 1
		if r.Op[0] == '<' {
			fd = 0
		}
	}
	return sh.place(undo, r, fd, f)
}

// place puts a file at the redirection's descriptor, or at a free one whose number goes to a variable.
func (sh *Shell) place(undo []savedFD, r *syntax.Redir, fd int, f *file) ([]savedFD, bool) {
	if r.FDVar != "" {
		fd = sh.freeFD(firstHighFD)
		if err := sh.setFDVar(r.FDVar, fd); err != nil {
			f.unref()
			return undo, false
		}
		// a descriptor that a variable holds outlives the command
		sh.setFD(fd, f).syncUnref()
		if sh.shopt.has(shoptVarredirClose) {
			undo = append(undo, savedFD{fd, nil})
		}
		return undo, true
	}
	if fd >= maxFD {
		sh.errorf("%d: Bad file descriptor", fd)
		f.unref()
		return undo, false
	}
	return sh.put(undo, fd, f), true
}

func (sh *Shell) setFDVar(name string, fd int) error {
	base, sub, indexed := strings.Cut(name, "[")
	if indexed {
		return sh.assignElement(base, syntax.NewSubscript(strings.TrimSuffix(sub, "]"), sh.line), itoa(fd), false)
	}
	return sh.set(name, itoa(fd))
}

func (sh *Shell) openFailed(name string, err error) bool {
	if errors.Is(err, errNoclobber) {
		sh.errorf("%s: cannot overwrite existing file", name)
	} else {
		sh.errorf("%s: %s", name, strerror(err))
	}
	return false
}

var errNoclobber = errors.New("shell: redirect: cannot overwrite existing file")

// open opens a file for a redirection operator.
func (sh *Shell) open(name, op string) (*file, error) {
	full := sh.path(name)
	if n, ok := deviceFD(full); ok {
		f := sh.fd(n)
		if f == nil {
			return nil, fs.ErrNotExist
		}
		return f.ref(), nil
	}
	flag := os.O_RDONLY
	switch op {
	case ">":
		flag = os.O_WRONLY | os.O_CREATE | os.O_TRUNC
		if sh.opt.has(optNoclobber) {
			return sh.openNew(full)
		}
	case ">|":
		flag = os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	case ">>":
		flag = os.O_WRONLY | os.O_CREATE | os.O_APPEND
	case "<>":
		flag = os.O_RDWR | os.O_CREATE
	}
	const newMode = 0o666
	if full == "" {
		return nil, syscall.ENOENT
	}
	f, err := sys.OpenFile(full, flag, newMode&^sh.umask)
	if err != nil {
		return nil, err
	}
	if op == "<" {
		if info, err := sys.Fstat(f); err == nil && info.IsDir() {
			return ownedFile(f), nil // reading it fails, as in bash
		}
	}
	return ownedFile(f), nil
}

// openNew opens a file under set -C: it must not exist, unless it is no regular file.
func (sh *Shell) openNew(full string) (*file, error) {
	flag := os.O_WRONLY | os.O_CREATE | os.O_EXCL
	if info, err := sys.Stat(full); err == nil {
		if info.IsRegular() {
			return nil, errNoclobber
		}
		flag = os.O_WRONLY
	}
	f, err := sys.OpenFile(full, flag, 0o666&^sh.umask)
	if errors.Is(err, fs.ErrExist) {
		return nil, errNoclobber
	}
	if err != nil {
		return nil, err
	}
	return ownedFile(f), nil
}

// redirectText is a here-document or here-string.
func (sh *Shell) redirectText(undo []savedFD, r *syntax.Redir) ([]savedFD, bool) {
	body := ""
	switch {
	case r.Op == "<<<":
		body = sh.str(r.Target) + "\n"
	case r.Doc != nil:
		body = sh.quotedStr(r.Doc)
	}
	if sh.ctl != ctlNone {
		return undo, false
	}
	return sh.place(undo, r, max(r.FD, 0), ownedFile(&text{s: body}))
}

// redirectDup is n>&m, n>&m-, n>&- and >&file.
func (sh *Shell) redirectDup(undo []savedFD, r *syntax.Redir) ([]savedFD, bool) {
	word, ok := sh.redirTarget(r)
	if !ok {
		return undo, false
	}
	fd := r.FD
	if fd < 0 {
		fd = 1
		if r.Op == "<&" {
			fd = 0
		}
	}
	if word == "-" {
		if r.FDVar != "" {
			return sh.closeVar(undo, r)
		}
		return sh.put(undo, fd, nil), true
	}
	source, move := strings.CutSuffix(word, "-")
	n, err := strconv.Atoi(source)
	if err != nil || n < 0 {
		if r.Op == ">&" && r.FD < 0 && r.FDVar == "" {
			return sh.redirectBoth(undo, ">", word)
		}
		sh.errorf("%s: ambiguous redirect", r.Target.Src)
		return undo, false
	}
	f := sh.fd(n)
	if f == nil {
		sh.errorf("%s: Bad file descriptor", source)
		return undo, false
	}
	undo, ok = sh.place(undo, r, fd, f.ref())
	if ok && move && n != fd {
		undo = sh.put(undo, n, nil)
	}
	return undo, ok
}

// closeVar is {name}>&-.
func (sh *Shell) closeVar(undo []savedFD, r *syntax.Redir) ([]savedFD, bool) {
	s, _ := sh.get(r.FDVar)
	if base, sub, ok := strings.Cut(r.FDVar, "["); ok {
		if v, _, _ := sh.lookup(base); v != nil {
			s, _ = sh.element(v, syntax.NewSubscript(strings.TrimSuffix(sub, "]"), sh.line))
		}
	}
	n, err := strconv.Atoi(s)
	if err != nil {
		sh.errorf("%s: ambiguous redirect", r.FDVar)
		return undo, false
	}
	sh.setFD(n, nil).syncUnref()
	return undo, true
}

// redirectBoth is &>file and &>>file.
func (sh *Shell) redirectBoth(undo []savedFD, op, name string) ([]savedFD, bool) {
	f, err := sh.open(name, op)
	if err != nil {
		return undo, sh.openFailed(name, err)
	}
	undo = sh.put(undo, 1, f)
	return sh.put(undo, 2, f.ref()), true
}
