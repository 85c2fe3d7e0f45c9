package files

import (
	"bytes"
	"fmt"
	"strings"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/files/perm"
	"openclaw/toolwasm/guest/getopt"
	"openclaw/toolwasm/guest/quote"
	"openclaw/toolwasm/guest/sys"
)

const installHelp = `Usage: install [OPTION]... [-T] SOURCE DEST
       install [OPTION]... SOURCE... DIRECTORY
       install [OPTION]... -t DIRECTORY SOURCE...
       install [OPTION]... -d DIRECTORY...
Copy files and set their modes, or make directories.

      --backup[=CONTROL]  keep a backup of each file that is replaced
  -b                  like --backup without an argument
  -c                  ignored
  -C, --compare       leave a destination with the same content and mode as it is
  -d, --directory     make the operands as directories, with their parents
  -D                  make the parents of DEST, or the directory of -t
  -g, --group=GROUP   accepted for the own group
  -m, --mode=MODE     set this mode instead of rwxr-xr-x
  -o, --owner=OWNER   accepted for the own user
  -p, --preserve-timestamps  keep the times of the sources
  -S, --suffix=SUFFIX end backup names with SUFFIX
  -t, --target-directory=DIRECTORY  copy into DIRECTORY
  -T, --no-target-directory  treat DEST as a file
  -v, --verbose       tell what is done
`

// installer is a running install.
type installer struct {
	p       *command.Proc
	backups backups
	mode    perm.Expr
	compare bool
	times   bool
	verbose bool
	failed  bool
}

func install(p *command.Proc) int {
	opts, operands := p.Options(1, getopt.Spec{
		Short: "cCdDg:m:o:pt:Tv" + backupShort, Unsupported: "sZ", UnsupLong: []string{"strip", "strip-program", "context"},
		Long: append(backupLong(),
			getopt.Long{Name: "compare", Short: 'C'}, getopt.Long{Name: "directory", Short: 'd'},
			getopt.Long{Name: "group", Arg: getopt.Required, Short: 'g'},
			getopt.Long{Name: "mode", Arg: getopt.Required, Short: 'm'},
			getopt.Long{Name: "owner", Arg: getopt.Required, Short: 'o'},
			getopt.Long{Name: "preserve-timestamps", Short: 'p'},
			getopt.Long{Name: "target-directory", Arg: getopt.Required, Short: 't'},
			getopt.Long{Name: "no-target-directory", Short: 'T'}, getopt.Long{Name: "verbose", Short: 'v'}),
	})
	in := &installer{p: p}
	var t targets
	mode, dirs, parents := "0755", false, false
	for _, o := range opts {
		if in.backups.option(p, o) {
			continue
		}
		switch o.Name {
		case "C":
			in.compare = true
		case "d":
			dirs = true
		case "D":
			parents = true
		case "g":
			if !checkOwner(p, ":"+o.Arg) {
				return 1
			}
		case "o":
			if !checkOwner(p, o.Arg) {
				return 1
			}
		case "m":
			mode = o.Arg
		case "p":
			in.times = true
		case "t":
			t.dir = o.Arg
		case "T":
			t.noDir = true
		case "v":
			in.verbose = true
		}
	}
	expr, ok := perm.Parse(mode)
	if !ok {
		p.Errorf("invalid mode %s", quote.Locale(mode))
		return 1
	}
	in.mode = expr
	if dirs {
		return in.directories(operands)
	}
	if parents {
		in.makeParents(&t, operands)
	}
	for _, pr := range t.plan(p, operands) {
		in.file(pr.src, pr.dst)
	}
	return statusOf(in.failed)
}

func (in *installer) errorf(format string, args ...any) {
	in.failed = true
	in.p.Errorf(format, args...)
}

// directories makes the operands of -d; parents get the default mode.
func (in *installer) directories(operands []string) int {
	p := in.p
	if len(operands) == 0 {
		return p.Usage(1, "missing file operand")
	}
	for _, name := range operands {
		if !in.makeAll(name) {
			continue
		}
		mode := perm.FromBits(in.mode.Apply(0, true, 0))
		if err := sys.Chmod(p.Path(name), mode); err != nil {
			in.errorf("cannot change permissions of %s: %s", quote.Always(name), sys.Strerror(err))
		}
	}
	return statusOf(in.failed)
}

func (in *installer) makeAll(name string) bool {
	p := in.p
	done := ""
	if strings.HasPrefix(name, "/") {
		done = "/"
	}
	for _, part := range components(name) {
		done = joinPath(done, part)
		if isDirectory(p, done) {
			continue
		}
		if err := sys.Mkdir(p.Path(done), 0o755); err != nil {
			in.errorf("cannot create directory %s: %s", quote.Locale(done), sys.Strerror(err))
			return false
		}
		if in.verbose {
			fmt.Fprintf(p.Out(), "%s: creating directory %s\n", p.Name, quote.Always(done))
		}
	}
	return true
}

func (in *installer) makeParents(t *targets, operands []string) {
	if t.dir != "" {
		in.makeAll(t.dir)
		return
	}
	if len(operands) == 2 {
		in.makeAll(dirName(operands[1]))
	}
}

func (in *installer) file(src, dst string) {
	p := in.p
	info, err := p.Stat(src)
	if err != nil {
		in.errorf("cannot stat %s: %s", quote.Always(src), sys.Strerror(err))
		return
	}
	if info.IsDir() {
		in.errorf("omitting directory %s", quote.Always(src))
		return
	}
	mode := perm.FromBits(in.mode.Apply(0, false, 0))
	old, err := p.Lstat(dst)
	backup := ""
	if err == nil {
		switch {
		case old.IsDir():
			in.errorf("cannot overwrite directory %s with non-directory", quote.Always(dst))
			return
		case old.Same(info):
			in.errorf("%s and %s are the same file", quote.Always(src), quote.Always(dst))
			return
		case in.compare && old.IsRegular() && old.Mode == mode && old.Size == info.Size && sameContent(p, src, dst):
			return
		}
		backup, err = in.backups.save(p, dst)
		if err == nil && backup == "" {
			err = sys.Unlink(p.Path(dst))
		}
		if err != nil {
			in.errorf("cannot remove %s: %s", quote.Always(dst), sys.Strerror(err))
			return
		}
	}
	c := &copier{p: p, keepTimes: in.times, noKeepMode: true}
	if !c.copyData(src, dst, info) {
		in.failed = true
		return
	}
	c.verbose = in.verbose
	c.say(src, dst, backup)
	if err := sys.Chmod(p.Path(dst), mode); err != nil {
		in.errorf("setting permissions for %s: %s", quote.Always(dst), sys.Strerror(err))
	}
}

// sameContent compares two files of one size, a block at a time.
func sameContent(p *command.Proc, a, b string) bool {
	fa, err := p.Open(a)
	if err != nil {
		return false
	}
	defer fa.Close()
	fb, err := p.Open(b)
	if err != nil {
		return false
	}
	defer fb.Close()
	x, y := make([]byte, copyBuffer), make([]byte, copyBuffer)
	for {
		n, errA := readFull(fa, x)
		m, errB := readFull(fb, y)
		if errA != nil || errB != nil || !bytes.Equal(x[:n], y[:m]) {
			return false
		}
		if n < len(x) {
			return true
		}
		p.Yield()
	}
}
