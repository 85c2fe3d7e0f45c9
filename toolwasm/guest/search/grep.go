package search

import (
	"bufio"
	"io"
	"io/fs"
	"strings"
	"syscall"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/sys"
)

// grep is one run of the command.
type grep struct {
	p       *command.Proc
	o       *grepOptions
	m       matcher
	out     *bufio.Writer
	colors  colors
	names   bool // file names are printed
	delim   byte
	matched bool // a line was selected somewhere
	failed  bool
	buf     []byte
	output  sys.Info // of standard output, when that is a regular file
	toFile  bool
	discard bool // nothing that is printed is wanted
	visited []sys.Info
}

func runGrep(p *command.Proc, d dialect, dirs directories) int {
	o, files := parseGrep(p, d, dirs)
	g := &grep{p: p, o: o, out: p.Out(), delim: '\n'}
	if o.null {
		g.delim = 0
	}
	g.m = newMatcher(p, o)
	if o.color {
		g.colors = parseColors(p)
	}
	if o.maxCount == 0 && !o.count && o.list != listOthers {
		return 1
	}
	if info, err := p.Stat("/dev/stdout"); err == nil && info.IsRegular() {
		g.output, g.toFile = info, true
	}
	bare := len(files) == 0
	if bare {
		files = []string{"-"}
		if o.dirs == dirRecurse {
			files = []string{"."}
		}
	}
	g.names = o.names > 0 || o.names == 0 && (len(files) > 1 || o.dirs == dirRecurse && g.isDir(files[0]))
	for _, f := range files {
		if g.operand(f, bare) {
			break
		}
	}
	switch {
	case g.failed && !(o.quiet && g.matched):
		return statusTrouble
	case g.matched:
		return 0
	}
	return 1
}

func (g *grep) isDir(name string) bool {
	if name == "-" {
		return false
	}
	info, err := g.p.Stat(name)
	return err == nil && info.IsDir()
}

func (g *grep) complain(name string, err error) {
	g.failed = true
	if !g.o.silent {
		g.p.Errorf("%s: %s", name, sys.Strerror(err))
	}
}

// operand searches what was named on the command line. It reports whether nothing more is to be searched.
func (g *grep) operand(name string, bare bool) (done bool) {
	if name == "-" {
		if info, err := g.p.Stat("/dev/stdin"); err == nil && g.isOutput(g.o.label, info) {
			return false
		}
		return g.stream(g.p.Stdin, g.o.label)
	}
	info, err := g.p.Stat(name)
	if err != nil {
		g.complain(name, err)
		return false
	}
	if info.IsDir() {
		switch g.o.dirs {
		case dirSkip:
			return false
		case dirRecurse:
			if name != "." && g.o.filters.skipDir(strings.TrimRight(name, "/")) {
				return false
			}
			return g.directory(name, bare)
		}
		g.complain(name, syscall.EISDIR)
		return false
	}
	if g.o.filters.skipFile(name) || g.o.skipDevices && !info.IsRegular() {
		return false
	}
	return g.file(name, info)
}

// directory searches what a directory holds, in order of names.
func (g *grep) directory(name string, bare bool) (done bool) {
	info, err := g.p.Stat(name)
	if err != nil {
		g.complain(name, err)
		return false
	}
	for _, v := range g.visited {
		if v.Same(info) && info.Ino != 0 {
			g.p.Errorf("%s: warning: recursive directory loop", name)
			return false
		}
	}
	g.visited = append(g.visited, info)
	defer func() { g.visited = g.visited[:len(g.visited)-1] }()
	entries, err := sys.ReadDir(g.p.Path(name))
	if err != nil {
		g.complain(name, err)
		return false
	}
	for _, e := range entries {
		child := name + "/" + e.Name()
		if bare {
			child = e.Name()
		} else if strings.HasSuffix(name, "/") {
			child = name + e.Name()
		}
		if g.entry(child, e) {
			return true
		}
	}
	return false
}

func (g *grep) entry(name string, e fs.DirEntry) (done bool) {
	if e.Type()&fs.ModeSymlink != 0 && !g.o.follow {
		return false
	}
	stat := g.p.Lstat
	if g.o.follow {
		stat = g.p.Stat
	}
	info, err := stat(name)
	switch {
	case err != nil:
		g.complain(name, err)
		return false
	case info.IsDir():
		if g.o.filters.skipDir(name) {
			return false
		}
		return g.directory(name, false)
	case !info.IsRegular() || g.o.filters.skipFile(name):
		return false
	}
	return g.file(name, info)
}

// isOutput reports, and complains, when a file would be read while it is written.
func (g *grep) isOutput(name string, info sys.Info) bool {
	if !g.toFile || !info.IsRegular() || !info.Same(g.output) || info.Size == 0 || g.o.quiet || g.o.list != listNone || g.o.maxCount == 1 {
		return false
	}
	g.failed = true
	if !g.o.silent {
		g.p.Errorf("%s: input file is also the output", name)
	}
	return true
}

func (g *grep) file(name string, info sys.Info) (done bool) {
	if g.isOutput(name, info) {
		return false
	}
	f, err := g.p.Open(name)
	if err != nil {
		g.complain(name, err)
		return false
	}
	defer f.Close()
	return g.stream(f, name)
}

// stream searches one file and prints what is asked for about it.
func (g *grep) stream(r io.Reader, name string) (done bool) {
	s := &search{g: g, name: name, r: r, o: g.o}
	err := s.run()
	if err != nil {
		g.complain(name, err)
	}
	if s.selected > 0 {
		g.matched = true
	}
	switch {
	case g.o.quiet:
		return s.selected > 0
	case g.o.count:
		s.prefixName(':')
		writeInt(g.out, s.selected)
		_ = g.out.WriteByte('\n')
	case g.o.list == listMatching && s.selected > 0, g.o.list == listOthers && s.selected == 0:
		s.listName()
	}
	if s.binaryNotice {
		g.p.Errorf("%s: binary file matches", name)
	}
	if g.o.flush {
		_ = g.out.Flush()
	}
	return false
}
