package archive

import (
	"archive/zip"
	"bufio"
	"bytes"
	"compress/flate"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"time"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/files/perm"
	"openclaw/toolwasm/guest/glob"
	"openclaw/toolwasm/guest/sys"
)

const zipHelp = `Usage: zip [OPTION]... ZIPFILE [FILE]...
Add files to ZIPFILE, replacing members of the same name. ZIPFILE gets the suffix .zip when it has none; as a FILE, - is
standard input.

  -r        directories with what they hold
  -j        names without directories
  -y        store symbolic links as links
  -u        only files that are new or newer than their member
  -f        only files that are newer than their member
  -d        take the members named (globs) out of ZIPFILE
  -m        remove the files afterwards
  -x GLOB…  leave out names that match, up to the next option
  -i GLOB…  only names that match
  -@        read names from standard input
  -D        no entries for directories
  -0 … -9   speed against size; -0 stores
  -q        say nothing
  -v -X -o  accepted
`

// zip's exit statuses.
const (
	zipNothing = 12
	zipFormat  = 3
	zipOpen    = 18
)

// inMemory is up to what size a file is compressed in memory, to store it when that makes it no smaller.
const inMemory = 8 << 20

// zipper is a running zip.
type zipper struct {
	p        *command.Proc
	report   *bufio.Writer
	archive  string
	files    []string
	level    int
	recurse  bool
	junk     bool
	links    bool
	update   bool
	freshen  bool
	remove   bool
	move     bool
	noDirs   bool
	quiet    bool
	stdin    bool
	exclude  []*glob.Pattern
	include  []*glob.Pattern
	entries  []zipEntry
	existing map[string]*zip.File
	stored   []string // files that -m removes
}

// zipEntry is a file that goes into the archive.
type zipEntry struct {
	path string // "-" for standard input
	name string
	info sys.Info
}

func zipCommand(p *command.Proc) int {
	z := &zipper{p: p, report: p.Out(), level: flate.DefaultCompression}
	z.parse()
	if z.archive == "" {
		_, _ = p.Out().WriteString(zipHelp)
		return 0
	}
	if z.archive == "-" {
		z.report = bufio.NewWriter(p.Stderr)
		defer z.report.Flush()
	} else if path.Ext(z.archive) == "" {
		z.archive += ".zip"
	}
	return z.run()
}

func (z *zipper) parse() {
	args := z.p.Args
	var list *[]*glob.Pattern
	for i := 0; i < len(args); i++ {
		a := args[i]
		if len(a) > 1 && a[0] == '-' {
			list = nil
			if rest, value := z.options(a[1:]); rest != nil {
				list = rest
				if value != "" {
					z.pattern(list, value)
				}
			}
			continue
		}
		switch {
		case a == "@" && list != nil:
			list = nil
		case list != nil:
			z.pattern(list, a)
		case z.archive == "":
			z.archive = a
		default:
			z.files = append(z.files, a)
		}
	}
}

func (z *zipper) pattern(list *[]*glob.Pattern, s string) {
	g, err := glob.Compile(strings.TrimPrefix(s, "./"), 0)
	if err != nil {
		z.fatal(16, "Invalid command arguments (%s)", s)
	}
	*list = append(*list, g)
}

// options reads one word of options. It returns the list that the following words belong to.
func (z *zipper) options(s string) (list *[]*glob.Pattern, value string) {
	if long, ok := strings.CutPrefix(s, "-"); ok {
		return z.long(long)
	}
	for i := range len(s) {
		switch c := s[i]; c {
		case 'r':
			z.recurse = true
		case 'j':
			z.junk = true
		case 'y':
			z.links = true
		case 'u':
			z.update = true
		case 'f':
			z.freshen = true
		case 'd':
			z.remove = true
		case 'm':
			z.move = true
		case 'D':
			z.noDirs = true
		case 'q':
			z.quiet = true
		case '@':
			z.stdin = true
		case 'v', 'X', 'o', 'S', 'T', 'k':
		case 'x':
			return &z.exclude, strings.TrimPrefix(s[i+1:], "=")
		case 'i':
			return &z.include, strings.TrimPrefix(s[i+1:], "=")
		default:
			if c >= '0' && c <= '9' {
				z.level = int(c - '0')
				continue
			}
			z.fatal(16, "Invalid command arguments (short option '%c' not supported)", c)
		}
	}
	return nil, ""
}

func (z *zipper) long(s string) (list *[]*glob.Pattern, value string) {
	name, value, _ := strings.Cut(s, "=")
	switch name {
	case "recurse-paths":
		z.recurse = true
	case "junk-paths":
		z.junk = true
	case "symlinks":
		z.links = true
	case "update":
		z.update = true
	case "freshen":
		z.freshen = true
	case "delete":
		z.remove = true
	case "move":
		z.move = true
	case "quiet":
		z.quiet = true
	case "no-dir-entries":
		z.noDirs = true
	case "verbose", "no-extra":
	case "exclude":
		return &z.exclude, value
	case "include":
		return &z.include, value
	default:
		z.fatal(16, "Invalid command arguments (long option '%s' not supported)", name)
	}
	return nil, ""
}

func (z *zipper) fatal(status int, format string, args ...any) {
	fmt.Fprintf(z.report, "\nzip error: %s\n", fmt.Sprintf(format, args...))
	_ = z.report.Flush()
	z.p.Exit(status)
}

func (z *zipper) warn(format string, args ...any) {
	fmt.Fprintf(z.report, "\tzip warning: %s\n", fmt.Sprintf(format, args...))
}

func (z *zipper) say(format string, args ...any) {
	if !z.quiet {
		fmt.Fprintf(z.report, format, args...)
	}
}

func (z *zipper) run() int {
	old, done := z.openExisting()
	defer done()
	z.existing = map[string]*zip.File{}
	if old != nil {
		for _, f := range old.File {
			z.existing[f.Name] = f
		}
	}
	if z.remove {
		return z.delete(old)
	}
	z.collect()
	if len(z.entries) == 0 {
		if (z.update || z.freshen) && old != nil {
			return 0
		}
		z.fatal(zipNothing, "Nothing to do! (%s)", z.archive)
	}
	status := z.rewrite(old, func(w *zip.Writer) int {
		replaced := map[string]bool{}
		for _, e := range z.entries {
			replaced[e.name] = true
		}
		z.keep(w, old, func(name string) bool { return !replaced[name] })
		failed := 0
		for _, e := range z.entries {
			if !z.add(w, e) {
				failed = zipOpen
			}
		}
		return failed
	})
	for i := len(z.stored) - 1; i >= 0; i-- {
		full := z.p.Path(z.stored[i])
		if sys.Unlink(full) != nil {
			_ = sys.Rmdir(full)
		}
	}
	return status
}

// openExisting opens the archive that is added to; nil when there is none.
func (z *zipper) openExisting() (*zip.Reader, func()) {
	nothing := func() {}
	if z.archive == "-" {
		return nil, nothing
	}
	info, err := z.p.Stat(z.archive)
	if err != nil {
		return nil, nothing
	}
	f, err := z.p.Open(z.archive)
	if err != nil {
		z.fatal(zipOpen, "Could not open (%s)", z.archive)
	}
	file, ok := command.Unwrap(f).(*os.File)
	if !ok {
		_ = f.Close()
		z.fatal(zipFormat, "Zip file structure invalid (%s)", z.archive)
	}
	r, err := zip.NewReader(file, info.Size)
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		_ = f.Close()
		z.fatal(zipFormat, "Zip file structure invalid (%s)", z.archive)
	}
	return r, func() { _ = f.Close() }
}

// rewrite makes a new archive with what fill writes, and puts it in the place of the old one.
func (z *zipper) rewrite(old *zip.Reader, fill func(*zip.Writer) int) int {
	p := z.p
	var dst io.Writer = p.Out()
	var file *command.Replacement
	if z.archive != "-" {
		var err error
		if file, err = p.ReplaceBeside(z.archive, 0o666&^p.Umask); err != nil {
			z.fatal(15, "Could not create output file (%s)", z.archive)
		}
		defer file.Abort() // whatever ends the command: a full disk, a signal
		dst = file
	}
	buffered := bufio.NewWriterSize(dst, copySize)
	w := zip.NewWriter(buffered)
	w.RegisterCompressor(zip.Deflate, func(out io.Writer) (io.WriteCloser, error) { return flate.NewWriter(out, z.level) })
	status := fill(w)
	if old != nil && old.Comment != "" {
		_ = w.SetComment(old.Comment)
	}
	err := w.Close()
	if e := buffered.Flush(); err == nil {
		err = e
	}
	if file == nil {
		return status
	}
	if err == nil {
		err = file.Commit()
	}
	if err != nil {
		z.fatal(14, "Write error: %s (%s)", sys.Strerror(err), z.archive)
	}
	return status
}

func (z *zipper) keep(w *zip.Writer, old *zip.Reader, wanted func(string) bool) {
	if old == nil {
		return
	}
	for _, f := range old.File {
		z.p.Yield()
		if !wanted(f.Name) {
			continue
		}
		if err := w.Copy(f); err != nil {
			z.fatal(zipFormat, "Zip file structure invalid (%s)", z.archive)
		}
	}
}

func (z *zipper) delete(old *zip.Reader) int {
	if old == nil {
		z.fatal(13, "Missing or empty zip file (%s)", z.archive)
	}
	var patterns []*glob.Pattern
	for _, name := range z.files {
		z.pattern(&patterns, name)
	}
	gone := map[string]bool{}
	for _, f := range old.File {
		if matches(patterns, f.Name) {
			gone[f.Name] = true
			z.say("deleting: %s\n", f.Name)
		}
	}
	if len(gone) == 0 {
		for _, name := range z.files {
			z.warn("name not matched: %s", name)
		}
		z.fatal(zipNothing, "Nothing to do! (%s)", z.archive)
	}
	if len(gone) == len(old.File) {
		z.warn("zip file empty")
		_ = sys.Unlink(z.p.Path(z.archive))
		return 0
	}
	return z.rewrite(old, func(w *zip.Writer) int {
		z.keep(w, old, func(name string) bool { return !gone[name] })
		return 0
	})
}

func matches(patterns []*glob.Pattern, name string) bool {
	for _, g := range patterns {
		if g.Match(name) {
			return true
		}
	}
	return false
}

// collect finds the files that go into the archive.
func (z *zipper) collect() {
	names := z.files
	if z.stdin && z.p.Stdin != nil {
		s := bufio.NewScanner(z.p.Stdin)
		for s.Scan() {
			if s.Text() != "" {
				names = append(names, s.Text())
			}
		}
	}
	seen := map[string]bool{}
	for _, name := range names {
		if name == "-" {
			z.entries = append(z.entries, zipEntry{path: "-", name: "-", info: sys.Info{Mtime: time.Now(), Mode: 0o600}})
			continue
		}
		z.walk(name, seen)
	}
}

func (z *zipper) walk(name string, seen map[string]bool) {
	z.p.Yield()
	info, err := z.p.Stat(name)
	if z.links || err != nil {
		if l, lerr := z.p.Lstat(name); lerr == nil && z.links {
			info, err = l, nil
		}
	}
	if err != nil {
		z.warn("name not matched: %s", strings.TrimPrefix(name, "./"))
		return
	}
	if self, err := z.p.Stat(z.archive); err == nil && self.Same(info) {
		return
	}
	z.consider(name, info, seen)
	if !info.IsDir() || !z.recurse {
		return
	}
	entries, err := sys.ReadDir(z.p.Path(name))
	if err != nil {
		z.warn("could not open for reading: %s", name)
		return
	}
	for _, e := range entries {
		z.walk(strings.TrimSuffix(name, "/")+"/"+e.Name(), seen)
	}
}

// member is the name a file gets in the archive: relative, without a leading "./".
func (z *zipper) member(name string, dir bool) string {
	if z.junk {
		name = path.Base(name)
	}
	name = strings.TrimLeft(name, "/")
	for strings.HasPrefix(name, "./") {
		name = strings.TrimLeft(name[2:], "/")
	}
	name = strings.TrimRight(name, "/")
	if name == "." || name == "" {
		return ""
	}
	if dir {
		name += "/"
	}
	return name
}

func (z *zipper) consider(name string, info sys.Info, seen map[string]bool) {
	member := z.member(name, info.IsDir())
	if member == "" || (info.IsDir() && (z.noDirs || z.junk)) || seen[member] {
		return
	}
	if matches(z.exclude, member) || (len(z.include) > 0 && !matches(z.include, member)) {
		return
	}
	if !info.IsRegular() && !info.IsDir() && !info.IsLink() {
		z.warn("will not store special file: %s", name)
		return
	}
	old, exists := z.existing[member]
	if z.freshen && !exists {
		return
	}
	if (z.freshen || z.update) && exists && !info.Mtime.Truncate(time.Second).After(old.Modified) {
		return
	}
	seen[member] = true
	z.entries = append(z.entries, zipEntry{path: name, name: member, info: info})
}

// add writes one member.
func (z *zipper) add(w *zip.Writer, e zipEntry) bool {
	h := &zip.FileHeader{Name: e.name, Modified: e.info.Mtime.Truncate(time.Second)}
	h.SetMode(e.info.Mode)
	verb := "adding"
	if _, ok := z.existing[e.name]; ok {
		verb = "updating"
	}
	switch {
	case e.info.IsDir():
		z.raw(w, h, nil)
		z.say("%8s: %s (stored 0%%)\n", verb, e.name)
	case e.info.IsLink():
		target, err := sys.Readlink(z.p.Path(e.path))
		if err != nil {
			z.warn("could not read link: %s", e.path)
			return false
		}
		z.raw(w, h, []byte(target))
		z.say("%8s: %s (stored 0%%)\n", verb, e.name)
	default:
		if !z.addFile(w, h, e, verb) {
			return false
		}
	}
	if z.move && e.path != "-" {
		z.stored = append(z.stored, e.path)
	}
	return true
}

// raw writes a member as it is, with its sizes in front.
func (z *zipper) raw(w *zip.Writer, h *zip.FileHeader, data []byte) {
	h.Method = zip.Store
	h.CRC32 = crc32.ChecksumIEEE(data)
	h.CompressedSize64, h.UncompressedSize64 = uint64(len(data)), uint64(len(data))
	z.writeRaw(w, h, data)
}

func (z *zipper) writeRaw(w *zip.Writer, h *zip.FileHeader, data []byte) {
	// CreateRaw writes no time that other programs read exactly: add the extended timestamp as CreateHeader does.
	h.Extra = append(h.Extra, extendedTime(h.Modified)...)
	//lint:ignore SA1019 the MS-DOS fields, which CreateRaw writes as they are, have no other setter
	h.SetModTime(h.Modified)
	out, err := w.CreateRaw(h)
	if err == nil {
		_, err = out.Write(data)
	}
	if err != nil {
		z.fatal(14, "Write error: %s (%s)", sys.Strerror(err), z.archive)
	}
}

// extendedTime is the extra field that holds a modification time in seconds.
func extendedTime(t time.Time) []byte {
	s := uint32(t.Unix())
	return []byte{'U', 'T', 5, 0, 1, byte(s), byte(s >> 8), byte(s >> 16), byte(s >> 24)}
}

func (z *zipper) addFile(w *zip.Writer, h *zip.FileHeader, e zipEntry, verb string) bool {
	in, err := z.p.OpenArg(e.path)
	if err != nil {
		z.warn("could not open for reading: %s", e.path)
		return false
	}
	defer in.Close()
	// A small file is read whole, to find out whether compression makes it smaller.
	head, err := io.ReadAll(io.LimitReader(in, inMemory+1))
	if err != nil {
		z.warn("could not read: %s", e.path)
		return false
	}
	if len(head) <= inMemory {
		z.small(w, h, head, verb)
		return true
	}
	h.Method = zip.Deflate
	if z.level == 0 {
		h.Method = zip.Store
	}
	out, err := w.CreateHeader(h)
	if err != nil {
		z.fatal(14, "Write error: %s (%s)", sys.Strerror(err), z.archive)
	}
	n, err := pump(z.p, out, io.MultiReader(bytes.NewReader(head), in), make([]byte, copySize))
	if err != nil {
		var pe *fs.PathError
		if errors.As(err, &pe) {
			z.fatal(14, "Write error: %s (%s)", sys.Strerror(err), z.archive)
		}
		return false
	}
	_ = w.Flush()
	how := "deflated"
	if h.Method == zip.Store {
		how = "stored"
	}
	z.say("%8s: %s (%s %d%%)\n", verb, e.name, how, percent(n, int64(h.CompressedSize64)))
	return true
}

// small compresses a file in memory; when that does not make it smaller, it is stored.
func (z *zipper) small(w *zip.Writer, h *zip.FileHeader, data []byte, verb string) {
	var packed bytes.Buffer
	if z.level != 0 {
		fw, _ := flate.NewWriter(&packed, z.level)
		_, _ = fw.Write(data)
		_ = fw.Close()
		z.p.Yield()
	}
	if z.level == 0 || packed.Len() >= len(data) {
		z.raw(w, h, data)
		z.say("%8s: %s (stored 0%%)\n", verb, h.Name)
		return
	}
	h.Method = zip.Deflate
	h.CRC32 = crc32.ChecksumIEEE(data)
	h.CompressedSize64, h.UncompressedSize64 = uint64(packed.Len()), uint64(len(data))
	z.writeRaw(w, h, packed.Bytes())
	z.say("%8s: %s (deflated %d%%)\n", verb, h.Name, percent(int64(len(data)), int64(packed.Len())))
}

// percent is by how much packing has made something smaller, rounded.
func percent(whole, packed int64) int64 {
	if whole <= 0 || packed > whole {
		return 0
	}
	return (200*(whole-packed)/whole + 1) / 2
}

// unixMode is a mode for a new file.
func unixMode(m fs.FileMode, umask fs.FileMode) fs.FileMode {
	return perm.FromBits(perm.Bits(m) & perm.RWX &^ perm.Bits(umask))
}
