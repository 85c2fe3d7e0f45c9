package archive

import (
	"archive/zip"
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"syscall"
	"time"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/datetime"
	"openclaw/toolwasm/guest/files/perm"
	"openclaw/toolwasm/guest/glob"
	"openclaw/toolwasm/guest/strftime"
	"openclaw/toolwasm/guest/sys"
)

const unzipHelp = `Usage: unzip [OPTION]... ZIPFILE [MEMBER]... [-x MEMBER...] [-d DIR]
Extract the members of ZIPFILE that match the globs, or all.

  -l        list them            -v   list them in full
  -t        check them           -Z1  list their names only;  -Z like ls -l
  -p        write them to standard output
  -c        the same, with their names
  -d DIR    extract into DIR
  -x MEMBER…  leave out those that match
  -o        replace existing files    -n   never replace them
  -u        replace older files, make new ones    -f   only replace older files
  -j        names without directories
  -C        ignore case in globs      -L   names in lower case
  -q, -qq   say less
  -a -X -K  accepted
`

// unzip's exit statuses.
const (
	unzipWarning  = 1
	unzipError    = 2
	unzipNoFile   = 9
	unzipUsage    = 10
	unzipNoMatch  = 11
	unzipMethod   = 81
	unzipPassword = 82
)

// unzipper is a running unzip.
type unzipper struct {
	p    *command.Proc
	out  *bufio.Writer
	loc  *time.Location
	mode byte // x extract, l list, v verbose list, t test, p pipe, c pipe with names, 1 names, Z like ls

	archive   string
	members   []string
	excluded  []string
	dir       string
	overwrite bool
	never     bool
	update    bool
	freshen   bool
	junk      bool
	fold      bool
	lower     bool
	quiet     int
	status    int
	links     []deferredLink
	dirs      []delayedDir
	answers   *bufio.Reader
	buf       []byte
}

// deferredLink is a symbolic link that is made when everything else has been extracted.
type deferredLink struct{ name, target string }

func unzip(p *command.Proc) int {
	u := &unzipper{p: p, out: p.Out(), loc: datetime.Location(p.Env), mode: 'x'}
	u.parse()
	if u.archive == "" {
		_, _ = p.Out().WriteString(unzipHelp)
		if len(p.Args) == 0 {
			return 0
		}
		return unzipUsage
	}
	r, done := u.open()
	defer done()
	return u.run(r)
}

func (u *unzipper) parse() {
	excluding := false
	args := u.p.Args
	for i := 0; i < len(args); i++ {
		a := args[i]
		if len(a) < 2 || a[0] != '-' {
			switch {
			case u.archive == "":
				u.archive = a
			case excluding:
				u.excluded = append(u.excluded, a)
			default:
				u.members = append(u.members, a)
			}
			continue
		}
		excluding = false
		for k := 1; k < len(a); k++ {
			switch c := a[k]; c {
			case 'x':
				excluding = true
			case 'd':
				u.dir = a[k+1:]
				if u.dir == "" && i+1 < len(args) {
					i++
					u.dir = args[i]
				}
				k = len(a)
			default:
				u.flag(c)
			}
		}
	}
}

func (u *unzipper) flag(c byte) {
	switch c {
	case 'l', 'v', 't', 'p', 'c', 'Z':
		u.mode = c
	case '1':
		if u.mode == 'Z' {
			u.mode = '1'
		}
	case 'o':
		u.overwrite = true
	case 'n':
		u.never = true
	case 'u':
		u.update = true
	case 'f':
		u.freshen = true
	case 'j':
		u.junk = true
	case 'C':
		u.fold = true
	case 'L':
		u.lower = true
	case 'q':
		u.quiet++
	case 'a', 'b', 'X', 'K', 'B', 'U', 'W', 'V', ':', 'D', 'M', '2', 'h', 's', 'm', 'z':
	default:
		_ = u.p.Flush()
		fmt.Fprintf(u.p.Stderr, "unzip: unsupported option -- '%c'\n", c)
		u.p.Exit(unzipUsage)
	}
}

func (u *unzipper) warn(status int, format string, args ...any) {
	_ = u.p.Flush()
	fmt.Fprintf(u.p.Stderr, format, args...)
	u.status = max(u.status, status)
}

func (u *unzipper) open() (*zip.Reader, func()) {
	p := u.p
	tried := []string{u.archive, u.archive + ".zip", u.archive + ".ZIP"}
	for _, name := range tried {
		info, err := p.Stat(name)
		if err != nil || info.IsDir() {
			continue
		}
		f, err := p.Open(name)
		if err != nil {
			continue
		}
		u.archive = name
		file, ok := command.Unwrap(f).(*os.File)
		if !ok {
			_ = f.Close()
			break
		}
		if u.mode != 'p' && u.mode != '1' && u.quiet < 1 {
			fmt.Fprintf(u.out, "Archive:  %s\n", name)
		}
		r, err := zip.NewReader(file, info.Size)
		if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
			_ = f.Close()
			u.warn(unzipNoFile, "  End-of-central-directory signature not found.  Either this file is not\n  a zipfile, or it is only a part of one.\n"+
				"unzip:  cannot find zipfile directory in %s\n", name)
			p.Exit(unzipNoFile)
		}
		return r, func() { _ = f.Close() }
	}
	u.warn(unzipNoFile, "unzip:  cannot find or open %s, %s or %s.\n", tried[0], tried[1], tried[2])
	p.Exit(unzipNoFile)
	return nil, nil
}

// selectMembers returns the members that are asked for.
func (u *unzipper) selectMembers(r *zip.Reader) []*zip.File {
	compile := func(list []string) []*glob.Pattern {
		var out []*glob.Pattern
		for _, s := range list {
			flags := glob.Flags(0)
			if u.fold {
				flags = glob.IgnoreCase
			}
			g, err := glob.Compile(s, flags)
			if err != nil {
				u.warn(unzipUsage, "unzip: invalid pattern %s\n", s)
				u.p.Exit(unzipUsage)
			}
			out = append(out, g)
		}
		return out
	}
	wanted, unwanted := compile(u.members), compile(u.excluded)
	used := make([]bool, len(wanted))
	var list []*zip.File
	for _, f := range r.File {
		ok := len(wanted) == 0
		for i, g := range wanted {
			if g.Match(f.Name) {
				ok, used[i] = true, true
			}
		}
		if ok && !matches(unwanted, f.Name) {
			list = append(list, f)
		}
	}
	for i, name := range u.members {
		if !used[i] {
			u.warn(unzipNoMatch, "caution: filename not matched:  %s\n", name)
		}
	}
	return list
}

func (u *unzipper) run(r *zip.Reader) int {
	list := u.selectMembers(r)
	switch u.mode {
	case 'l':
		u.list(list)
	case 'v':
		u.listVerbose(list)
	case '1':
		for _, f := range list {
			_, _ = u.out.WriteString(f.Name + "\n")
		}
	case 'Z':
		u.zipInfo(list, r)
	case 't':
		u.test(list)
	default:
		for _, f := range list {
			u.p.Yield()
			u.member(f)
		}
		u.finish()
	}
	return u.status
}

func (u *unzipper) stamp(f *zip.File) string {
	return strftime.Format("%Y-%m-%d %H:%M", f.Modified.In(u.loc))
}

func files(n int) string {
	if n == 1 {
		return "1 file"
	}
	return fmt.Sprintf("%d files", n)
}

func (u *unzipper) list(list []*zip.File) {
	if u.quiet < 2 {
		_, _ = u.out.WriteString("  Length      Date    Time    Name\n---------  ---------- -----   ----\n")
	}
	var total uint64
	for _, f := range list {
		total += f.UncompressedSize64
		fmt.Fprintf(u.out, "%9d  %s   %s\n", f.UncompressedSize64, u.stamp(f), f.Name)
	}
	if u.quiet < 2 {
		fmt.Fprintf(u.out, "---------                     -------\n%9d                     %s\n", total, files(len(list)))
	}
}

func methodName(f *zip.File) string {
	switch f.Method {
	case zip.Store:
		return "Stored"
	case zip.Deflate:
		return "Defl:N"
	}
	return fmt.Sprintf("Unk:%03d", f.Method)
}

func (u *unzipper) listVerbose(list []*zip.File) {
	_, _ = u.out.WriteString(" Length   Method    Size  Cmpr    Date    Time   CRC-32   Name\n" +
		"--------  ------  ------- ---- ---------- ----- --------  ----\n")
	var whole, packed uint64
	for _, f := range list {
		whole += f.UncompressedSize64
		packed += f.CompressedSize64
		fmt.Fprintf(u.out, "%8d  %-6s %8d %3d%% %s %08x  %s\n", f.UncompressedSize64, methodName(f), f.CompressedSize64,
			percent(int64(f.UncompressedSize64), int64(f.CompressedSize64)), u.stamp(f), f.CRC32, f.Name)
	}
	fmt.Fprintf(u.out, "--------          -------  ---                            -------\n%8d         %8d %3d%%                            %s\n",
		whole, packed, percent(int64(whole), int64(packed)), files(len(list)))
}

func (u *unzipper) zipInfo(list []*zip.File, r *zip.Reader) {
	if info, err := u.p.Stat(u.archive); err == nil {
		fmt.Fprintf(u.out, "Zip file size: %d bytes, number of entries: %d\n", info.Size, len(r.File))
	}
	var whole, packed uint64
	for _, f := range list {
		whole += f.UncompressedSize64
		packed += f.CompressedSize64
		method := "stor"
		if f.Method == zip.Deflate {
			method = "defN"
		}
		kind := "bx"
		if f.Method == zip.Deflate {
			kind = "tx"
		}
		fmt.Fprintf(u.out, "%s  %d.%d unx %8d %s %s %s %s\n", perm.String(f.Mode()), f.CreatorVersion&0xff/10, f.CreatorVersion&0xff%10,
			f.UncompressedSize64, kind, method, strftime.Format("%y-%b-%d %H:%M", f.Modified.In(u.loc)), f.Name)
	}
	fmt.Fprintf(u.out, "%s, %d bytes uncompressed, %d bytes compressed:  %.1f%%\n", files(len(list)), whole, packed,
		ratioOf(whole, packed))
}

func ratioOf(whole, packed uint64) float64 {
	if whole == 0 {
		return 0
	}
	return (1 - float64(packed)/float64(whole)) * 100
}

func (u *unzipper) test(list []*zip.File) {
	bad := 0
	for _, f := range list {
		err := u.copy(io.Discard, f)
		word := "OK"
		if err != nil {
			bad++
			word = u.describe(f, err)
		}
		if u.quiet == 0 || err != nil {
			fmt.Fprintf(u.out, "    testing: %-22s   %s\n", f.Name, word)
		}
	}
	if bad > 0 {
		fmt.Fprintf(u.out, "At least one error was detected in %s.\n", u.archive)
		u.status = max(u.status, unzipError)
		return
	}
	fmt.Fprintf(u.out, "No errors detected in compressed data of %s.\n", u.archive)
}

func (u *unzipper) describe(f *zip.File, err error) string {
	switch {
	case f.Flags&1 != 0:
		u.status = max(u.status, unzipPassword)
		return "unable to get password"
	case errors.Is(err, zip.ErrAlgorithm):
		u.status = max(u.status, unzipMethod)
		return fmt.Sprintf("unsupported compression method %d", f.Method)
	case errors.Is(err, zip.ErrChecksum):
		return fmt.Sprintf("bad CRC (should be %08x)", f.CRC32)
	}
	return "invalid compressed data"
}

func (u *unzipper) copy(w io.Writer, f *zip.File) error {
	if f.Flags&1 != 0 {
		return zip.ErrAlgorithm
	}
	r, err := f.Open()
	if err != nil {
		return err
	}
	defer r.Close()
	if u.buf == nil {
		u.buf = make([]byte, copySize)
	}
	_, err = pump(u.p, w, r, u.buf)
	return err
}

// member extracts one member.
func (u *unzipper) member(f *zip.File) {
	dir := strings.HasSuffix(f.Name, "/")
	switch u.mode {
	case 'p', 'c':
		if dir {
			return
		}
		if u.mode == 'c' {
			fmt.Fprintf(u.out, "  inflating: %-22s  \n", f.Name)
		}
		if err := u.copy(u.out, f); err != nil {
			u.warn(unzipError, "%s:  %s\n", f.Name, u.describe(f, err))
		}
		if u.mode == 'c' {
			_ = u.out.WriteByte('\n')
		}
		return
	}
	name := u.target(f.Name)
	if name == "" {
		return
	}
	if dir {
		u.makeDir(name, f)
		return
	}
	u.extract(name, f)
}

// target is where a member goes: inside the directory, whatever its name says.
func (u *unzipper) target(name string) string {
	if u.junk {
		if strings.HasSuffix(name, "/") {
			return ""
		}
		name = path.Base(name)
	}
	if u.lower {
		name = strings.ToLower(name)
	}
	if strings.HasPrefix(name, "/") {
		u.warn(unzipWarning, "warning:  stripped absolute path spec from %s\n", name)
		name = strings.TrimLeft(name, "/")
	}
	name = strings.ReplaceAll(name, "\x00", "")
	if hasDotDot(name) {
		u.warn(unzipWarning, "warning:  skipped \"../\" path component(s) in %s\n", name)
		var kept []string
		for c := range strings.SplitSeq(name, "/") {
			if c != ".." {
				kept = append(kept, c)
			}
		}
		name = strings.TrimLeft(strings.Join(kept, "/"), "/")
	}
	if name == "" || u.dir == "" {
		return name
	}
	return strings.TrimSuffix(u.dir, "/") + "/" + name
}

// parents makes the directories above name. Directories of the archive that are links already there are not
// followed: a link that came with it could lead anywhere.
func (u *unzipper) parents(name string) error {
	dir := path.Dir(name)
	if dir == "." || dir == "/" {
		return nil
	}
	if info, err := u.p.Stat(dir); err == nil {
		if info.IsDir() {
			return nil
		}
		return syscall.ENOTDIR
	}
	if err := u.parents(dir); err != nil {
		return err
	}
	return sys.Mkdir(u.p.Path(dir), 0o777&^u.p.Umask)
}

func (u *unzipper) makeDir(name string, f *zip.File) {
	if u.freshen {
		return
	}
	trimmed := strings.TrimRight(name, "/")
	full := u.p.Path(trimmed)
	if info, err := u.p.Stat(trimmed); err == nil && info.IsDir() {
		return
	}
	err := u.parents(trimmed)
	if err == nil {
		err = sys.Mkdir(full, 0o777&^u.p.Umask)
	}
	if err != nil {
		u.warn(unzipError, "checkdir error:  cannot create %s\n                 %s\n", trimmed, sys.Strerror(err))
		return
	}
	if u.quiet == 0 {
		fmt.Fprintf(u.out, "   creating: %s\n", name)
	}
	mode := fs.FileMode(0o777) &^ u.p.Umask
	if m := perm.Bits(f.Mode()) & perm.RWX; m != 0 {
		mode = unixMode(f.Mode(), u.p.Umask)
	}
	u.dirs = append(u.dirs, delayedDir{full, mode, f.Modified})
}

// mayReplace decides about a file that exists.
func (u *unzipper) mayReplace(name string, f *zip.File) (string, bool) {
	info, err := u.p.Lstat(name)
	if err != nil {
		return name, !u.freshen
	}
	if (u.update || u.freshen) && !f.Modified.After(info.Mtime) {
		return name, false
	}
	switch {
	case u.never:
		return name, false
	case u.overwrite:
		return name, true
	}
	return u.askReplace(name)
}

// askReplace asks, and takes the end of the answers for "None".
func (u *unzipper) askReplace(name string) (string, bool) {
	for {
		_ = u.p.Flush()
		fmt.Fprintf(u.p.Stderr, "replace %s? [y]es, [n]o, [A]ll, [N]one, [r]ename: ", name)
		if u.answers == nil {
			var in io.Reader = strings.NewReader("")
			if u.p.Stdin != nil {
				in = u.p.Stdin
			}
			u.answers = bufio.NewReader(in)
		}
		line, err := u.answers.ReadString('\n')
		if line == "" && err != nil {
			fmt.Fprint(u.p.Stderr, " NULL\n(EOF or read error, treating as \"[N]one\" ...)\n")
			u.never = true
			u.status = max(u.status, unzipWarning)
			return name, false
		}
		switch strings.TrimSpace(line) {
		case "y", "yes":
			return name, true
		case "n", "no":
			return name, false
		case "A":
			u.overwrite = true
			return name, true
		case "N":
			u.never = true
			return name, false
		case "r":
			fmt.Fprint(u.p.Stderr, "new name: ")
			if fresh, _ := u.answers.ReadString('\n'); strings.TrimSpace(fresh) != "" {
				name = u.target(strings.TrimSpace(fresh))
				if _, err := u.p.Lstat(name); err != nil {
					return name, true
				}
			}
		}
	}
}

func (u *unzipper) extract(name string, f *zip.File) {
	name, ok := u.mayReplace(name, f)
	if !ok {
		return
	}
	if err := u.parents(name); err != nil {
		u.warn(unzipError, "checkdir error:  cannot create %s\n                 %s\n", path.Dir(name), sys.Strerror(err))
		return
	}
	full := u.p.Path(name)
	if f.Mode()&fs.ModeSymlink != 0 {
		u.deferLink(name, f)
		return
	}
	_ = sys.Unlink(full) // never write through what is there: it may be a link
	out, err := sys.OpenFile(full, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666&^u.p.Umask)
	if err != nil {
		u.warn(unzipError, "error:  cannot create %s\n        %s\n", name, sys.Strerror(err))
		return
	}
	if u.quiet == 0 {
		verb := "inflating"
		if f.Method == zip.Store {
			verb = "extracting"
		}
		fmt.Fprintf(u.out, "%11s: %-22s  \n", verb, name)
	}
	err = u.copy(out, f)
	if e := out.Close(); err == nil {
		err = e
	}
	if err != nil {
		var pe *fs.PathError
		if errors.As(err, &pe) {
			u.warn(50, "%s:  write error: %s\n", name, sys.Strerror(err))
			return
		}
		u.warn(unzipError, "%s:  %s\n", name, u.describe(f, err))
		return
	}
	if m := perm.Bits(f.Mode()) & perm.RWX; m != 0 {
		_ = sys.Chmod(full, unixMode(f.Mode(), u.p.Umask))
	}
	_ = sys.Chtimes(full, time.Time{}, f.Modified)
}

// maxLink bounds the text of a symbolic link.
const maxLink = 4096

func (u *unzipper) deferLink(name string, f *zip.File) {
	var target strings.Builder
	if f.UncompressedSize64 > maxLink {
		u.warn(unzipError, "error:  the target of the link %s is too long\n", name)
		return
	}
	if err := u.copy(&target, f); err != nil {
		u.warn(unzipError, "%s:  %s\n", name, u.describe(f, err))
		return
	}
	if u.quiet == 0 {
		fmt.Fprintf(u.out, "    linking: %-22s  -> %s \n", name, target.String())
	}
	u.links = append(u.links, deferredLink{name, target.String()})
}

// finish makes the links and completes directories, the deepest first.
func (u *unzipper) finish() {
	if len(u.links) > 0 && u.quiet == 0 {
		_, _ = u.out.WriteString("finishing deferred symbolic links:\n")
	}
	for _, l := range u.links {
		if u.quiet == 0 {
			fmt.Fprintf(u.out, "  %-22s -> %s\n", l.name, l.target)
		}
		full := u.p.Path(l.name)
		_ = sys.Unlink(full)
		if err := sys.Symlink(l.target, full); err != nil {
			u.warn(unzipWarning, "warning:  symbolic link (%s) failed: %s\n", l.name, sys.Strerror(err))
		}
	}
	for i := len(u.dirs) - 1; i >= 0; i-- {
		d := u.dirs[i]
		_ = sys.Chmod(d.path, d.mode)
		_ = sys.Chtimes(d.path, time.Time{}, d.time)
	}
}
