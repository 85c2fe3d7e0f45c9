package differ

import (
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"syscall"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/getopt"
	"openclaw/toolwasm/guest/sys"
)

const patchHelp = `Usage: patch [OPTION]... [ORIGFILE [PATCHFILE]]
Apply a patch (unified, context or normal; git's extended headers too) from PATCHFILE or standard input.
The status is 0 when all hunks applied, 1 when some did not, 2 in trouble.

  -p, --strip=NUM          remove NUM leading components from names; without it all but the last
  -i, --input=PATCHFILE    read the patch from PATCHFILE
  -R, --reverse            take the patch back
  -N, --forward            skip patches that seem reversed or already applied
  -f, --force              ask nothing; apply even what seems reversed
  -t, --batch              ask nothing; assume -R for what seems reversed
  -F, --fuzz=LINES         let up to LINES (2) lines of context differ
  -l, --ignore-whitespace  white space of any amount is equal
  -c, --context, -u, --unified, -n, --normal  accepted: the format is recognised
  -d, --directory=DIR      work in DIR
  -o, --output=FILE        write the result to FILE
  -r, --reject-file=FILE   write rejects to FILE
  -b, --backup             keep the original as FILE.orig
      --backup-if-mismatch, --no-backup-if-mismatch  whether to when a hunk fits only elsewhere (it does)
  -z, --suffix=SUFFIX      end backup names with SUFFIX
  -B, --prefix=PREFIX      begin backup names with PREFIX
  -E, --remove-empty-files remove files that are empty afterwards
      --dry-run            only tell what would happen
      --reject-format=FORMAT  context or unified
  -s, --quiet, --silent    tell only about errors
      --verbose            tell more
      --posix, --binary    accepted
`

// defaultFuzz is how many lines of context may differ.
const defaultFuzz = 2

// patcher is a running patch.
type patcher struct {
	p          *command.Proc
	strip      int // -1: all but the last component
	original   string
	input      string
	reverse    bool
	forward    bool
	force      bool
	batch      bool
	fuzz       int
	looseSpace bool
	output     string
	rejectFile string
	rejectCtx  string
	backup     bool
	mismatch   bool // back up on a mismatch
	suffix     string
	prefix     string
	empty      bool
	dry        bool
	silent     bool
	verbose    bool
	posix      bool
	status     int
	collected  []byte // what -o gets
}

// fatal ends the command in trouble.
func (t *patcher) fatal(format string, args ...any) {
	_ = t.p.Flush()
	fmt.Fprintf(t.p.Stderr, "%s: **** %s\n", t.p.Name, fmt.Sprintf(format, args...))
	t.p.Exit(trouble)
}

func (t *patcher) say(format string, args ...any) {
	if !t.silent {
		fmt.Fprintf(t.p.Out(), format, args...)
	}
}

func (t *patcher) tell(format string, args ...any) { fmt.Fprintf(t.p.Out(), format, args...) }

func patchSpec() getopt.Spec {
	return getopt.Spec{
		Short: "bB:cd:D:EfF:i:lNno:p:r:RstT:uV:Y:z:Z", Unsupported: "eDgTZVYx",
		UnsupLong: []string{"ed", "ifdef", "merge", "set-time", "set-utc", "get", "version-control", "basename-prefix"},
		Long: []getopt.Long{
			{Name: "strip", Arg: getopt.Required, Short: 'p'},
			{Name: "input", Arg: getopt.Required, Short: 'i'},
			{Name: "reverse", Short: 'R'},
			{Name: "forward", Short: 'N'},
			{Name: "force", Short: 'f'},
			{Name: "batch", Short: 't'},
			{Name: "fuzz", Arg: getopt.Required, Short: 'F'},
			{Name: "ignore-whitespace", Short: 'l'},
			{Name: "context", Short: 'c'},
			{Name: "unified", Short: 'u'},
			{Name: "normal", Short: 'n'},
			{Name: "directory", Arg: getopt.Required, Short: 'd'},
			{Name: "output", Arg: getopt.Required, Short: 'o'},
			{Name: "reject-file", Arg: getopt.Required, Short: 'r'},
			{Name: "backup", Short: 'b'},
			{Name: "backup-if-mismatch"},
			{Name: "no-backup-if-mismatch"},
			{Name: "suffix", Arg: getopt.Required, Short: 'z'},
			{Name: "prefix", Arg: getopt.Required, Short: 'B'},
			{Name: "remove-empty-files", Short: 'E'},
			{Name: "dry-run"},
			{Name: "reject-format", Arg: getopt.Required},
			{Name: "quiet", Short: 's'},
			{Name: "silent", Short: 's'},
			{Name: "verbose"},
			{Name: "posix"},
			{Name: "binary"},
			{Name: "read-only", Arg: getopt.Required},
			{Name: "quoting-style", Arg: getopt.Required},
			{Name: "follow-symlinks"},
		},
	}
}

func patch(p *command.Proc) int {
	opts, operands := parseOptions(p, patchSpec())
	t := &patcher{p: p, strip: -1, fuzz: defaultFuzz, mismatch: true}
	for _, o := range opts {
		t.option(o)
	}
	if len(operands) > 2 {
		return usage(p, "%s: extra operand", operands[2])
	}
	if len(operands) > 0 {
		t.original = operands[0]
	}
	if len(operands) > 1 && t.input == "" {
		t.input = operands[1]
	}
	t.run()
	return t.status
}

func (t *patcher) option(o getopt.Option) {
	switch o.Name {
	case "p":
		n, err := strconv.Atoi(o.Arg)
		if err != nil || n < 0 {
			t.fatal("strip count %s is not a number", o.Arg)
		}
		t.strip = n
	case "i":
		t.input = o.Arg
	case "R":
		t.reverse = true
	case "N":
		t.forward = true
	case "f":
		t.force = true
	case "t":
		t.batch = true
	case "F":
		n, err := strconv.Atoi(o.Arg)
		if err != nil || n < 0 {
			t.fatal("fuzz factor %s is not a number", o.Arg)
		}
		t.fuzz = n
	case "l":
		t.looseSpace = true
	case "d":
		t.chdir(o.Arg)
	case "o":
		t.output = o.Arg
	case "r":
		t.rejectFile = o.Arg
	case "reject-format":
		if o.Arg != "context" && o.Arg != "unified" {
			t.p.Exit(usage(t.p, "invalid argument '%s' for '--reject-format'", o.Arg))
		}
		t.rejectCtx = o.Arg
	case "b":
		t.backup = true
	case "backup-if-mismatch":
		t.mismatch = true
	case "no-backup-if-mismatch":
		t.mismatch = false
	case "z":
		t.suffix = o.Arg
	case "B":
		t.prefix = o.Arg
	case "E":
		t.empty = true
	case "dry-run":
		t.dry = true
	case "s":
		t.silent = true
	case "verbose":
		t.verbose = true
	case "posix":
		t.posix, t.mismatch = true, false
	}
}

// chdir moves the command; names after it are seen from there, -i's too.
func (t *patcher) chdir(dir string) {
	info, err := t.p.Stat(dir)
	if err == nil && !info.IsDir() {
		err = syscall.ENOTDIR
	}
	if err != nil {
		t.fatal("Can't change to directory %s : %s", dir, sys.Strerror(err))
	}
	t.p.Dir = t.p.Path(dir)
}

func (t *patcher) run() {
	name := t.input
	if name == "" {
		name = "-"
	}
	data, err := t.p.ReadFile(name)
	if err != nil {
		t.fatal("Can't open patch file %s : %s", t.input, sys.Strerror(err))
	}
	r := newPatchReader(data)
	r.named = t.original != ""
	any := false
	for {
		fp, err := r.next()
		if fp == nil {
			break
		}
		any = true
		t.file(fp, err)
	}
	if !any && len(data) > 0 {
		t.fatal("Only garbage was found in the patch input.")
	}
	if t.output != "" && any && !t.dry {
		if err := t.writeFile(t.output, t.collected, 0o666&^t.p.Umask); err != nil {
			t.fatal("Can't create file %s : %s", t.output, sys.Strerror(err))
		}
	}
}

// stripName removes leading components; ok is false when there are too few.
func (t *patcher) stripName(name string) (string, bool) {
	if name == "" || name == "/dev/null" {
		return name, name != ""
	}
	if t.strip < 0 {
		if i := strings.LastIndexByte(strings.TrimRight(name, "/"), '/'); i >= 0 {
			name = name[i+1:]
		}
		return name, name != ""
	}
	for range t.strip {
		i := strings.IndexByte(name, '/')
		if i < 0 {
			return "", false
		}
		name = strings.TrimLeft(name[i:], "/")
	}
	return name, name != ""
}

// dangerous reports names that lead out of the directory.
func dangerous(name string) bool {
	if strings.HasPrefix(name, "/") {
		return true
	}
	for part := range strings.SplitSeq(name, "/") {
		if part == ".." {
			return true
		}
	}
	return false
}

// epoch reports the time that stands for a file that does not exist.
func epoch(stamp string) bool {
	return strings.HasPrefix(stamp, "1970-01-01 00:00:00") || strings.HasPrefix(stamp, "1969-12-31 ") ||
		strings.HasPrefix(stamp, "Thu Jan  1 00:00:00 1970") || strings.HasPrefix(stamp, "Thu Jan 01 00:00:00 1970")
}

// creates and deletes report whether one side of the patch is no file at all.
func (fp *filePatch) creates() bool {
	return fp.created || fp.oldName == "/dev/null" || (epoch(fp.oldStamp) && fp.startsEmpty())
}

func (fp *filePatch) deletes() bool {
	return fp.deleted || fp.newName == "/dev/null" || (epoch(fp.newStamp) && fp.endsEmpty())
}

func (fp *filePatch) startsEmpty() bool {
	return len(fp.hunks) == 1 && fp.hunks[0].oldStart == 0 && fp.hunks[0].oldLines == 0
}

func (fp *filePatch) endsEmpty() bool {
	return len(fp.hunks) == 1 && fp.hunks[0].newStart == 0 && fp.hunks[0].newLines == 0
}

// choose finds the file that a patch is for; "" when there is none.
func (t *patcher) choose(fp *filePatch) string {
	if t.original != "" {
		return t.original
	}
	var names []string
	add := func(raw string) {
		name, ok := t.stripName(raw)
		if !ok || name == "/dev/null" {
			return
		}
		for _, n := range names {
			if n == name {
				return
			}
		}
		names = append(names, name)
	}
	if fp.renameFrom != "" {
		add("x/" + fp.renameFrom) // such names have no prefix; give them one to strip
		if t.strip != 1 && t.strip >= 0 {
			names = []string{fp.renameFrom}
		}
		if t.strip < 0 {
			names = []string{fp.renameFrom}
		}
	} else {
		first, second := fp.oldName, fp.newName
		if t.reverse {
			first, second = second, first // names are tried as the patch has them
		}
		add(first)
		add(second)
		add(fp.index)
	}
	safe := names[:0]
	for _, n := range names {
		if dangerous(n) {
			t.say("Ignoring potentially dangerous file name %s\n", n)
			continue
		}
		safe = append(safe, n)
	}
	var existing []string
	for _, n := range safe {
		if info, err := t.p.Lstat(n); err == nil && !info.IsDir() {
			existing = append(existing, n)
		}
	}
	if len(existing) > 0 {
		return best(existing)
	}
	if fp.creates() || (t.reverse && fp.deletes()) || (fp.startsEmpty() && len(safe) > 0) {
		return best(safe)
	}
	return ""
}

// best is the name with the fewest components, then the shortest last one, then the shortest.
func best(names []string) string {
	if len(names) == 0 {
		return ""
	}
	base := func(s string) int { return len(s) - strings.LastIndexByte(s, '/') }
	b := names[0]
	for _, n := range names[1:] {
		dn, db := strings.Count(n, "/"), strings.Count(b, "/")
		switch {
		case dn != db:
			if dn < db {
				b = n
			}
		case base(n) != base(b):
			if base(n) < base(b) {
				b = n
			}
		case len(n) < len(b):
			b = n
		}
	}
	return b
}

func (t *patcher) hunksText(n, of int, what string) {
	s := "s"
	if of == 1 {
		s = ""
	}
	t.tell("%d out of %d hunk%s %s", n, of, s, what)
}

// notFound says that there is no file to patch.
func (t *patcher) notFound(fp *filePatch) {
	t.status = max(t.status, differs)
	line := fp.inputLine
	if len(fp.hunks) > 0 {
		line = fp.hunks[0].inputLine
	}
	t.tell("can't find file to patch at input line %d\n", line)
	if t.strip < 0 {
		t.tell("Perhaps you should have used the -p or --strip option?\n")
	} else {
		t.tell("Perhaps you used the wrong -p or --strip option?\n")
	}
	if len(fp.leading) > 0 {
		t.tell("The text leading up to this was:\n--------------------------\n")
		for _, l := range fp.leading {
			t.tell("|%s\n", l)
		}
		t.tell("--------------------------\n")
	}
	if t.force || t.batch {
		t.tell("No file to patch.  Skipping patch.\n")
	} else {
		t.tell("File to patch: \nSkip this patch? [y] \nSkipping patch.\n")
	}
	if len(fp.hunks) > 0 {
		t.hunksText(len(fp.hunks), len(fp.hunks), "ignored\n")
	}
}

// file applies what the patch says about one file. parseErr is a mistake that the reader found in it.
func (t *patcher) file(fp *filePatch, parseErr error) {
	if t.reverse {
		fp.reverse()
	}
	name := t.choose(fp)
	if name == "" {
		t.failParse(parseErr)
		t.notFound(fp)
		return
	}
	job := &fileJob{t: t, fp: fp, name: name, out: name}
	if fp.renameTo != "" && t.original == "" {
		job.out, _ = t.stripRename(fp.renameTo)
	}
	if dangerous(job.out) && t.original == "" {
		t.say("Ignoring potentially dangerous file name %s\n", job.out)
		t.status = max(t.status, differs)
		return
	}
	if fp.stripped {
		t.say("(Stripping trailing CRs from patch; use --binary to disable.)\n")
	}
	job.announce()
	t.failParse(parseErr)
	job.run()
}

func (t *patcher) stripRename(name string) (string, bool) {
	if t.strip > 1 {
		return t.stripName("x/" + name)
	}
	return name, true
}

func (t *patcher) failParse(err error) {
	var e *patchError
	if errors.As(err, &e) {
		if strings.HasPrefix(e.msg, "malformed patch: ") {
			t.fatal("malformed patch at line %d: %s\n", e.line, e.msg[len("malformed patch: "):])
		}
		t.fatal("%s", e.Error())
	}
}

// writeFile puts a new file in the place of name: either the old or the new content is there at any time.
func (t *patcher) writeFile(name string, data []byte, mode fs.FileMode) error {
	return replaceFile(t.p, name, data, mode)
}
