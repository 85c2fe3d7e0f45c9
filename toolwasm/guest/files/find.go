package files

import (
	"strings"
	"time"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/datetime"
	"openclaw/toolwasm/guest/files/perm"
	"openclaw/toolwasm/guest/quote"
	"openclaw/toolwasm/guest/sys"
)

const findHelp = `Usage: find [-H] [-L] [-P] [PATH]... [EXPRESSION]
Walk the trees at PATHs (default .) and evaluate EXPRESSION for each file (default -print).

Operators, from tight to loose:
  ( EXPR )   ! EXPR  -not EXPR   EXPR EXPR  EXPR -a EXPR  EXPR -and EXPR   EXPR -o EXPR  EXPR -or EXPR   EXPR , EXPR
Options:
  -H -L -P -follow -O0…-O3  -depth -d -maxdepth N -mindepth N -mount -xdev
  -daystart -regextype TYPE -ignore_readdir_race -noleaf -warn -nowarn (accepted)
Tests (N is a number, +N more, -N less):
  -amin N -anewer FILE -atime N -cmin N -cnewer FILE -ctime N -empty -executable -false -fstype TYPE -gid N
  -group NAME -ilname GLOB -iname GLOB -inum N -ipath GLOB -iregex RE -links N -lname GLOB -mmin N -mtime N
  -name GLOB -newer FILE -newerXY REFERENCE -nogroup -nouser -path GLOB -perm [-/]MODE -readable -regex RE
  -samefile FILE -size N[bcwkMG] -true -type [bcdpfls],… -uid N -used N -user NAME -wholename GLOB -writable
  -xtype [bcdpfls],…
Actions:
  -delete -exec COMMAND ; -exec COMMAND {} + -execdir COMMAND ; -execdir COMMAND {} + -fls FILE -fprint FILE
  -fprint0 FILE -fprintf FILE FORMAT -ls -ok COMMAND ; -okdir COMMAND ; -print -print0 -printf FORMAT -prune -quit
`

// finder is a running find.
type finder struct {
	p      *command.Proc
	follow follow
	loc    *time.Location
	now    time.Time

	maxDepth  int // -1: none
	minDepth  int
	depth     bool // contents before directories
	oneDevice bool

	expr     test
	cleanups []func()
	quit     bool
	failed   bool
	trail    []ancestor // the directories above the current file, where links are followed
}

// ancestor is a directory that holds the current file.
type ancestor struct {
	id   fileID
	path string
}

// visit is the file that the expression is evaluated for.
type visit struct {
	path  string // as it is printed
	start string // the operand it was reached from
	depth int
	info  sys.Info
	known bool // info has been read
	err   error
	kind  byte // the letter of -type
	prune bool
}

// test is a node of the expression.
type test func(v *visit) bool

func find(p *command.Proc) int {
	loc := datetime.Location(p.Env)
	f := &finder{p: p, maxDepth: -1, loc: loc, now: time.Now().In(loc)}
	paths, rest := f.leading(p.Args)
	parser := findParser{f: f, args: rest, dayEnd: f.now}
	expr, err := parser.parse()
	if err != nil {
		p.Errorf("%s", err.Error())
		return 1
	}
	f.expr = expr
	if len(paths) == 0 {
		paths = []string{"."}
	}
	for _, name := range paths {
		if f.quit {
			break
		}
		f.operand(name)
	}
	for _, done := range f.cleanups {
		done()
	}
	return statusOf(f.failed)
}

// leading takes the options and paths before the expression.
func (f *finder) leading(args []string) (paths, rest []string) {
	i := 0
options:
	for ; i < len(args); i++ {
		switch a := args[i]; {
		case a == "-H":
			f.follow = followOperands
		case a == "-L":
			f.follow = followAlways
		case a == "-P":
			f.follow = followNever
		case strings.HasPrefix(a, "-O") && len(a) == 3, a == "-D":
		case a == "--":
			i++
			break options
		default:
			break options
		}
	}
	for ; i < len(args) && !startsExpression(args[i]); i++ {
		paths = append(paths, args[i])
	}
	return paths, args[i:]
}

func startsExpression(a string) bool {
	if len(a) > 1 && a[0] == '-' {
		return true
	}
	return a == "(" || a == ")" || a == "!" || a == ","
}

// errorf reports a failure that does not end the walk.
func (f *finder) errorf(format string, args ...any) {
	f.failed = true
	f.p.Errorf(format, args...)
}

func (f *finder) operand(name string) {
	v := &visit{path: name, start: name}
	if name == "" {
		f.errorf("%s: No such file or directory", quote.Locale(name))
		return
	}
	if f.stat(v); v.err != nil {
		f.errorf("%s: %s", quote.Locale(name), sys.Strerror(v.err))
		return
	}
	f.visit(v)
}

// stat reads what there is to know about the file.
func (f *finder) stat(v *visit) {
	if v.known {
		return
	}
	v.known = true
	links := f.follow == followAlways || (f.follow == followOperands && v.depth == 0)
	if links {
		if v.info, v.err = f.p.Stat(v.path); v.err == nil {
			v.kind = kindLetter(v.info)
			return
		}
	}
	v.info, v.err = f.p.Lstat(v.path)
	if v.err == nil {
		v.kind = kindLetter(v.info)
	}
}

func kindLetter(i sys.Info) byte {
	if k := perm.TypeLetter(i.Mode); k != '-' {
		return k
	}
	return 'f'
}

// visit evaluates the expression for a file and what it holds.
func (f *finder) visit(v *visit) {
	f.p.Yield()
	descend := v.kind == 'd' && (f.maxDepth < 0 || v.depth < f.maxDepth)
	if v.kind == 'd' && f.follow == followAlways && f.loops(v) {
		return
	}
	evaluate := v.depth >= f.minDepth && (f.maxDepth < 0 || v.depth <= f.maxDepth)
	if evaluate && !f.depth {
		f.expr(v)
		if f.quit {
			return
		}
	}
	if descend && (f.depth || !v.prune) {
		f.descend(v)
		if f.quit {
			return
		}
	}
	if evaluate && f.depth {
		f.expr(v)
	}
}

// loops reports a directory that is one of its own parents, by way of a link.
func (f *finder) loops(v *visit) bool {
	f.stat(v)
	id := idOf(v.info)
	for _, above := range f.trail {
		if above.id == id {
			f.errorf("File system loop detected; %s is part of the same file system loop as %s.",
				quote.Locale(v.path), quote.Locale(above.path))
			return true
		}
	}
	return false
}

func (f *finder) descend(v *visit) {
	if f.follow == followAlways {
		f.trail = append(f.trail, ancestor{idOf(v.info), v.path})
		defer func() { f.trail = f.trail[:len(f.trail)-1] }()
	}
	if f.oneDevice {
		f.stat(v)
	}
	entries, err := sys.ReadDir(f.p.Path(v.path))
	if err != nil {
		f.errorf("%s: %s", quote.Locale(v.path), sys.Strerror(err))
	}
	for _, e := range entries {
		child := &visit{path: joinPath(v.path, e.Name()), start: v.start, depth: v.depth + 1}
		if child.kind = perm.TypeLetter(e.Type()); child.kind == '-' {
			child.kind = 'f'
		}
		if f.follow == followAlways || f.oneDevice {
			if f.stat(child); child.err != nil {
				f.errorf("%s: %s", quote.Locale(child.path), sys.Strerror(child.err))
				continue
			}
		}
		if f.oneDevice && child.info.Dev != v.info.Dev && child.kind == 'd' {
			saved := f.maxDepth
			f.maxDepth = child.depth // a mount point is seen, but not entered
			f.visit(child)
			f.maxDepth = saved
			continue
		}
		f.visit(child)
		if f.quit {
			return
		}
	}
}
