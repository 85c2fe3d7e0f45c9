package archive

import (
	"archive/tar"
	"bufio"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/datetime"
	"openclaw/toolwasm/guest/files/perm"
	"openclaw/toolwasm/guest/getopt"
	"openclaw/toolwasm/guest/quote"
	"openclaw/toolwasm/guest/sys"
)

const tarHelp = `Usage: tar OPERATION [OPTION]... [FILE]...
Keep many files in one archive. The first argument may be a bundle of letters without a dash: tar cf A B.

Operations:
  -c, --create           make an archive
  -t, --list             list an archive
  -x, --extract, --get   take files out of an archive
  -r, --append           add to the end of an archive
  -u, --update           add what is newer than in the archive
  -A, --concatenate      add other archives to the end
  -d, --diff, --compare  tell how files differ from the archive
      --delete           take members out of the archive
Archive and compression:
  -f, --file=ARCHIVE     the archive; - (the default) is standard input or output
  -z, --gzip  -j, --bzip2  -J, --xz  --zstd  -a, --auto-compress  -I, --use-compress-program=NAME
  -b, --blocking-factor=N   blocks of 512 bytes in a record (20)
  -H, --format=FORMAT    gnu, oldgnu, pax, posix, ustar, v7
  -i, --ignore-zeros     read on after blocks of zeros
Which files:
  -C, --directory=DIR    work in DIR from here on
  -T, --files-from=FILE  names from FILE;  --null: they end in NUL;  --verbatim-files-from
  -X, --exclude-from=FILE   patterns from FILE
      --exclude=GLOB     leave out names that match;  --exclude-vcs  --exclude-backups  --exclude-caches
      --anchored --no-anchored --ignore-case --wildcards --no-wildcards --wildcards-match-slash
      --no-recursion     only the directories themselves
  -h, --dereference      the files that links lead to
  -N, --newer=DATE, --newer-mtime=DATE   only newer files
      --one-file-system  stay on one filesystem
  -K, --starting-file=NAME   begin with NAME
      --sort=ORDER       name, none
Names and attributes:
      --strip-components=N   remove N leading components
      --transform=EXPR, --xform=EXPR   change names by s/RE/TEXT/FLAGS
      --show-transformed-names
  -P, --absolute-names   keep leading / and ..
      --owner=NAME[:ID] --group=NAME[:ID] --mode=CHANGES --mtime=DATE --numeric-owner
  -p, --preserve-permissions   do not apply the umask
  -m, --touch            do not restore times
Existing files:
  -k, --keep-old-files  --skip-old-files  --keep-newer-files  --overwrite  -U, --unlink-first  --keep-directory-symlink
      --one-top-level[=DIR]   extract into DIR
Output:
  -O, --to-stdout        write members to standard output
  -v, --verbose          list what is done (twice: with attributes)
      --full-time --utc --totals --remove-files --ignore-failed-read
`

// tarStatus is what tar ends with after errors.
const tarStatus = 2

const (
	blockSize             = 512
	defaultBlockingFactor = 20
)

// tarOp is what tar is asked to do.
type tarOp byte

// tape is a running tar.
type tape struct {
	p   *command.Proc
	out *bufio.Writer // where listings go
	loc *time.Location

	op          tarOp
	archive     string
	haveArchive bool
	codec       *codec
	autoCodec   bool
	blocking    int
	format      tar.Format
	ignoreZeros bool

	verbose      int
	dir          string // where files are, after -C
	operands     []operand
	names        names
	noRecursion  bool
	deref        bool
	oneDevice    bool
	absolute     bool
	newer        time.Time
	start        string
	hardDeref    bool
	removeFiles  bool
	ignoreRead   bool
	totals       bool
	numeric      bool
	fullTime     bool
	owner, group *identity
	mode         perm.Expr
	mtime        *time.Time
	preserve     bool
	touch        bool
	toStdout     bool
	keepOld      bool
	skipOld      bool
	keepNewer    bool
	overwrite    bool
	keepDirLink  bool
	topLevel     string

	differs bool // -d has found something
	width   int  // of owner, group and size in listings
	failed  bool
	told    map[string]bool // prefixes whose removal has been reported
	linked  map[linkID]string
	self    *sys.Info // the archive, so that it is not packed into itself
	buf     []byte
}

// operand is a name of the command line with the directory that -C gave.
type operand struct {
	name string
	dir  string
	used bool
}

// identity is an owner or group to record.
type identity struct {
	name string
	id   int
}

type linkID struct{ dev, ino uint64 }

func tarCommand(p *command.Proc) int {
	t := &tape{
		p: p, out: p.Out(), loc: datetime.Location(p.Env), archive: "-", blocking: defaultBlockingFactor,
		format: tar.FormatGNU, dir: p.Dir, width: 19, told: map[string]bool{}, linked: map[linkID]string{},
		names: newNames(p.Yield),
	}
	t.parse()
	t.run()
	if t.failed {
		_ = p.Flush()
		p.Errorf("Exiting with failure status due to previous errors")
		return tarStatus
	}
	if t.differs {
		return 1
	}
	return 0
}

// usage reports a mistake in the command line.
func (t *tape) usage(format string, args ...any) {
	_ = t.p.Flush()
	t.p.Errorf(format, args...)
	fmt.Fprintf(t.p.Stderr, "Try 'tar --help' or 'tar --usage' for more information.\n")
	t.p.Exit(tarStatus)
}

// fatal ends tar at once.
func (t *tape) fatal(format string, args ...any) {
	_ = t.p.Flush()
	t.p.Errorf(format, args...)
	t.p.Errorf("Error is not recoverable: exiting now")
	t.p.Exit(tarStatus)
}

// errorf reports a failure that does not end the run.
func (t *tape) errorf(format string, args ...any) {
	t.failed = true
	t.p.Errorf(format, args...)
}

// unbundle turns the old form "xvf FILE" into "-x -v -f FILE".
func unbundle(args []string) []string {
	if len(args) == 0 || args[0] == "" || args[0][0] == '-' {
		return args
	}
	var out []string
	rest := args[1:]
	for _, c := range args[0] {
		opt := "-" + string(c)
		if strings.ContainsRune("fbCTXgHIKNFLV", c) && len(rest) > 0 {
			out = append(out, opt, rest[0])
			rest = rest[1:]
			continue
		}
		out = append(out, opt)
	}
	return append(out, rest...)
}

func tarSpec() getopt.Spec {
	spec := getopt.Spec{
		Short:       "ctxruAdf:zjJaI:b:H:iC:T:X:hN:K:PpmsokUOvlBSwRWn",
		Unsupported: "GgLMFVZw", Digits: false,
		UnsupLong: []string{
			"listed-incremental", "multi-volume", "tape-length", "to-command", "interactive", "label", "checkpoint-action",
			"lzma", "lzip", "lzop", "compress", "rsh-command", "verify", "info-script",
		},
	}
	for _, l := range []struct {
		name  string
		arg   getopt.Arg
		short rune
	}{
		{"create", 0, 'c'},
		{"list", 0, 't'},
		{"extract", 0, 'x'},
		{"get", 0, 'x'},
		{"append", 0, 'r'},
		{"update", 0, 'u'},
		{"concatenate", 0, 'A'},
		{"catenate", 0, 'A'},
		{"diff", 0, 'd'},
		{"compare", 0, 'd'},
		{"delete", 0, 0},
		{"file", getopt.Required, 'f'},
		{"gzip", 0, 'z'},
		{"gunzip", 0, 'z'},
		{"ungzip", 0, 'z'},
		{"bzip2", 0, 'j'},
		{"xz", 0, 'J'},
		{"zstd", 0, 0},
		{"auto-compress", 0, 'a'},
		{"no-auto-compress", 0, 0},
		{"use-compress-program", getopt.Required, 'I'},
		{"blocking-factor", getopt.Required, 'b'},
		{"record-size", getopt.Required, 0},
		{"format", getopt.Required, 'H'},
		{"old-archive", 0, 0},
		{"posix", 0, 0},
		{"ignore-zeros", 0, 'i'},
		{"directory", getopt.Required, 'C'},
		{"files-from", getopt.Required, 'T'},
		{"null", 0, 0},
		{"no-null", 0, 0},
		{"verbatim-files-from", 0, 0},
		{"exclude", getopt.Required, 0},
		{"exclude-from", getopt.Required, 'X'},
		{"exclude-vcs", 0, 0},
		{"exclude-backups", 0, 0},
		{"exclude-caches", 0, 0},
		{"anchored", 0, 0},
		{"no-anchored", 0, 0},
		{"ignore-case", 0, 0},
		{"no-ignore-case", 0, 0},
		{"wildcards", 0, 0},
		{"no-wildcards", 0, 0},
		{"wildcards-match-slash", 0, 0},
		{"no-wildcards-match-slash", 0, 0},
		{"recursion", 0, 0},
		{"no-recursion", 0, 0},
		{"dereference", 0, 'h'},
		{"hard-dereference", 0, 0},
		{"newer", getopt.Required, 'N'},
		{"after-date", getopt.Required, 'N'},
		{"newer-mtime", getopt.Required, 'N'},
		{"one-file-system", 0, 0},
		{"starting-file", getopt.Required, 'K'},
		{"sort", getopt.Required, 0},
		{"strip-components", getopt.Required, 0},
		{"transform", getopt.Required, 0},
		{"xform", getopt.Required, 0},
		{"show-transformed-names", 0, 0},
		{"show-stored-names", 0, 0},
		{"absolute-names", 0, 'P'},
		{"owner", getopt.Required, 0},
		{"group", getopt.Required, 0},
		{"mode", getopt.Required, 0},
		{"mtime", getopt.Required, 0},
		{"numeric-owner", 0, 0},
		{"preserve-permissions", 0, 'p'},
		{"same-permissions", 0, 'p'},
		{"no-same-permissions", 0, 0},
		{"same-owner", 0, 0},
		{"no-same-owner", 0, 0},
		{"preserve-order", 0, 's'},
		{"same-order", 0, 's'},
		{"touch", 0, 'm'},
		{"keep-old-files", 0, 'k'},
		{"skip-old-files", 0, 0},
		{"keep-newer-files", 0, 0},
		{"overwrite", 0, 0},
		{"overwrite-dir", 0, 0},
		{"no-overwrite-dir", 0, 0},
		{"unlink-first", 0, 'U'},
		{"recursive-unlink", 0, 0},
		{"keep-directory-symlink", 0, 0},
		{"one-top-level", getopt.Optional, 0},
		{"to-stdout", 0, 'O'},
		{"verbose", 0, 'v'},
		{"full-time", 0, 0},
		{"utc", 0, 0},
		{"totals", getopt.Optional, 0},
		{"remove-files", 0, 0},
		{"ignore-failed-read", 0, 0},
		{"sparse", 0, 'S'},
		{"acls", 0, 0},
		{"no-acls", 0, 0},
		{"xattrs", 0, 0},
		{"no-xattrs", 0, 0},
		{"selinux", 0, 0},
		{"no-selinux", 0, 0},
		{"check-links", 0, 'l'},
		{"read-full-records", 0, 'B'},
		{"force-local", 0, 0},
		{"seek", 0, 'n'},
		{"no-seek", 0, 0},
		{"occurrence", getopt.Optional, 0},
		{"warning", getopt.Required, 0},
		{"checkpoint", getopt.Optional, 0},
		{"quoting-style", getopt.Required, 0},
		{"delay-directory-restore", 0, 0},
		{"no-delay-directory-restore", 0, 0},
		{"atime-preserve", getopt.Optional, 0},
		{"pax-option", getopt.Required, 0},
		{"index-file", getopt.Required, 0},
		{"restrict", 0, 0},
		{"level", getopt.Required, 0},
		{"add-file", getopt.Required, 0},
		{"no-quote-chars", getopt.Required, 0},
		{"clamp-mtime", 0, 0},
	} {
		spec.Long = append(spec.Long, getopt.Long{Name: l.name, Arg: l.arg, Short: l.short})
	}
	return spec
}

// parse reads the command line.
func (t *tape) parse() {
	t.p.Args = unbundle(t.p.Args)
	t.p.Options(tarStatus, tarSpec()) // reports mistakes; the order is read again below
	t.positional()
	if t.op == 0 {
		t.usage("You must specify one of the '-Acdtrux', '--delete' or '--test-label' options")
	}
}

// positional goes through options and operands in the order of the command line: -C is about what follows it.
func (t *tape) positional() {
	rest := t.p.Args
	spec := tarSpec()
	spec.Short = "+" + spec.Short
	null := false
	for len(rest) > 0 {
		group, operands, err := getopt.Parse(rest, spec)
		if err != nil {
			// "+" parsing takes fewer words for options; what Options has accepted cannot fail here.
			t.usage("%s", err)
		}
		for _, o := range group {
			switch o.Name {
			case "null":
				null = true
			case "no-null":
				null = false
			default:
				t.option(o, null)
			}
		}
		if len(operands) == 0 {
			return
		}
		if afterDashes(rest, operands) {
			for _, name := range operands {
				t.operands = append(t.operands, operand{name: name, dir: t.dir})
			}
			return
		}
		t.operands = append(t.operands, operand{name: operands[0], dir: t.dir})
		rest = operands[1:]
	}
}

// afterDashes reports whether the operands follow "--".
func afterDashes(args, operands []string) bool {
	at := len(args) - len(operands) - 1
	return at >= 0 && args[at] == "--"
}

func (t *tape) setOp(op tarOp) {
	if t.op != 0 && t.op != op {
		t.usage("You may not specify more than one '-Acdtrux', '--delete' or  '--test-label' option")
	}
	t.op = op
}

func (t *tape) setCodec(name string) {
	c, ok := codecByName(name)
	if !ok {
		t.usage("%s: Invalid compression program", name)
	}
	t.codec = &c
}

func (t *tape) option(o getopt.Option, null bool) {
	if t.archiveOption(o) || t.nameOption(o, null) || t.attributeOption(o) {
		return
	}
	switch o.Name {
	case "c", "t", "x", "r", "u", "A", "d":
		t.setOp(tarOp(o.Name[0]))
	case "delete":
		t.setOp('D')
	case "v":
		t.verbose++
	case "C":
		t.chdir(o.Arg)
	case "no-recursion":
		t.noRecursion = true
	case "recursion":
		t.noRecursion = false
	case "h":
		t.deref = true
	case "hard-dereference":
		t.hardDeref = true
	case "one-file-system":
		t.oneDevice = true
	case "N":
		t.newer = t.date(o.Arg)
	case "K":
		t.start = o.Arg
	case "P":
		t.absolute = true
	case "p":
		t.preserve = true
	case "no-same-permissions":
		t.preserve = false
	case "m":
		t.touch = true
	case "k":
		t.keepOld = true
	case "skip-old-files":
		t.skipOld = true
	case "keep-newer-files":
		t.keepNewer = true
	case "overwrite":
		t.overwrite = true
	case "keep-directory-symlink":
		t.keepDirLink = true
	case "one-top-level":
		t.topLevel = o.Arg
		if !o.HasArg {
			t.topLevel = "\x00"
		}
	case "O":
		t.toStdout = true
	case "totals":
		t.totals = true
	case "remove-files":
		t.removeFiles = true
	case "ignore-failed-read":
		t.ignoreRead = true
	case "full-time":
		t.fullTime = true
	case "utc":
		t.loc = time.UTC
	}
}

func (t *tape) archiveOption(o getopt.Option) bool {
	switch o.Name {
	case "f":
		t.archive, t.haveArchive = o.Arg, true
	case "z":
		t.setCodec("gzip")
	case "j":
		t.setCodec("bzip2")
	case "J":
		t.setCodec("xz")
	case "zstd":
		t.setCodec("zstd")
	case "a":
		t.autoCodec = true
	case "I":
		name, _, _ := strings.Cut(o.Arg, " ")
		if name == "pigz" {
			name = "gzip"
		}
		t.setCodec(name)
	case "b":
		n, err := strconv.Atoi(o.Arg)
		if err != nil || n <= 0 {
			t.usage("Invalid blocking factor")
		}
		t.blocking = n
	case "H":
		formats := map[string]tar.Format{
			"gnu": tar.FormatGNU, "oldgnu": tar.FormatGNU, "pax": tar.FormatPAX, "posix": tar.FormatPAX,
			"ustar": tar.FormatUSTAR, "v7": tar.FormatUSTAR,
		}
		f, ok := formats[o.Arg]
		if !ok {
			t.usage("%s: Invalid archive format", o.Arg)
		}
		t.format = f
	case "posix":
		t.format = tar.FormatPAX
	case "i":
		t.ignoreZeros = true
	default:
		return false
	}
	return true
}

func (t *tape) nameOption(o getopt.Option, null bool) bool {
	switch o.Name {
	case "T":
		t.filesFrom(o.Arg, null)
	case "add-file":
		t.operands = append(t.operands, operand{name: o.Arg, dir: t.dir})
	case "X":
		data, err := t.p.ReadFile(o.Arg)
		if err != nil {
			t.fatal("%s: Cannot open: %s", o.Arg, sys.Strerror(err))
		}
		for line := range strings.SplitSeq(string(data), "\n") {
			if line = strings.TrimRight(line, " \t\r"); line != "" {
				t.names.addExclude(line)
			}
		}
	case "exclude":
		t.names.addExclude(o.Arg)
	case "transform", "xform":
		if err := t.names.addTransform(o.Arg); err != nil {
			t.usage("%s", err)
		}
	case "strip-components":
		n, err := strconv.Atoi(o.Arg)
		if err != nil || n < 0 {
			t.usage("%s: Invalid number of elements", o.Arg)
		}
		t.names.strip = n
	default:
		return t.names.option(o.Name)
	}
	return true
}

func (t *tape) attributeOption(o getopt.Option) bool {
	switch o.Name {
	case "owner":
		t.owner = parseIdentity(o.Arg)
	case "group":
		t.group = parseIdentity(o.Arg)
	case "mode":
		e, ok := perm.Parse(o.Arg)
		if !ok {
			t.usage("Invalid mode given on option")
		}
		t.mode = e
	case "mtime":
		when := t.date(o.Arg)
		t.mtime = &when
	case "numeric-owner":
		t.numeric = true
	default:
		return false
	}
	return true
}

// parseIdentity reads NAME, ID, or NAME:ID.
func parseIdentity(s string) *identity {
	name, id, two := strings.Cut(s, ":")
	n, err := strconv.Atoi(strings.TrimPrefix(name, "+"))
	switch {
	case two:
		n, _ = strconv.Atoi(id)
		return &identity{name: name, id: n}
	case err == nil:
		if n == 0 {
			name = "root"
		} else {
			name = ""
		}
		return &identity{name: name, id: n}
	case name == "root":
		return &identity{name: name}
	}
	return &identity{name: name, id: sys.UID}
}

// date reads the argument of --mtime and -N: a date, or a file whose time it is.
func (t *tape) date(s string) time.Time {
	if strings.HasPrefix(s, "/") || strings.HasPrefix(s, ".") {
		info, err := t.p.Stat(s)
		if err != nil {
			t.fatal("%s: Cannot stat: %s", s, sys.Strerror(err))
		}
		return info.Mtime
	}
	when, err := datetime.Parse(s, time.Now().In(t.loc), t.loc)
	if err != nil {
		t.usage("Invalid date format %s", quote.Locale(s))
	}
	return when
}

// chdir takes effect for the operands that follow. Only when files are read or written does DIR have to exist.
func (t *tape) chdir(dir string) {
	if strings.HasPrefix(dir, "/") {
		t.dir = dir
		return
	}
	t.dir = strings.TrimSuffix(t.dir, "/") + "/" + dir
}

func (t *tape) filesFrom(name string, null bool) {
	data, err := t.p.ReadFile(name)
	if err != nil {
		t.fatal("%s: Cannot open: %s", name, sys.Strerror(err))
	}
	sep := "\n"
	if null {
		sep = "\x00"
	}
	for line := range strings.SplitSeq(string(data), sep) {
		if line != "" {
			t.operands = append(t.operands, operand{name: line, dir: t.dir})
		}
	}
}

func (t *tape) run() {
	switch t.op {
	case 'c':
		t.create()
	case 'r', 'u', 'A', 'D':
		t.rewrite()
	default:
		t.checkDirectory()
		t.read()
	}
}

// checkDirectory makes sure that the last -C leads somewhere.
func (t *tape) checkDirectory() {
	info, err := sys.Stat(t.dir)
	if err == nil && !info.IsDir() {
		err = os.ErrInvalid
	}
	if err != nil {
		shown := strings.TrimPrefix(t.dir, strings.TrimSuffix(t.p.Dir, "/")+"/")
		t.fatal("%s: Cannot open: %s", shown, sys.Strerror(err))
	}
}

// openArchive opens the archive for reading, decompressed.
func (t *tape) openArchive() (io.Reader, func()) {
	var f io.Reader = t.p.Stdin
	done := func() {}
	if t.archive != "-" {
		file, err := t.p.Open(t.archive)
		if err != nil {
			t.fatal("%s: Cannot open: %s", t.archive, sys.Strerror(err))
		}
		f, done = file, func() { _ = file.Close() }
	}
	if f == nil {
		f = strings.NewReader("")
	}
	src := bufio.NewReaderSize(f, copySize)
	c, found := sniff(src)
	if _, err := src.Peek(1); err == nil && t.codec != nil && c.name != t.codec.name {
		done()
		_ = t.p.Flush()
		fmt.Fprintf(t.p.Stderr, "\n%s: stdin: not in %s format\n", t.codec.name, t.codec.name)
		t.childFailed()
	}
	if !found {
		return src, done
	}
	z, err := c.reader(src)
	if err != nil {
		done()
		t.fatal("%s: Cannot read: %s", t.archive, err)
	}
	return z, func() {
		if closer, ok := z.(io.Closer); ok {
			_ = closer.Close()
		}
		done()
	}
}

// childFailed ends tar as it does when the program that decompresses has failed.
func (t *tape) childFailed() {
	t.p.Errorf("Child returned status 1")
	t.p.Errorf("Error is not recoverable: exiting now")
	t.p.Exit(tarStatus)
}
