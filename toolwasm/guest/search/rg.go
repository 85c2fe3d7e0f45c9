package search

import (
	"bufio"
	"bytes"
	"io"
	"io/fs"
	"os"
	"sort"
	"strconv"
	"time"
	"unicode"
	"unicode/utf8"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/pipe"
	"openclaw/toolwasm/guest/sys"
)

// rg is one run of the command.
type rg struct {
	p       *command.Proc
	o       *rgOptions
	m       rgMatcher
	g       *grep // carries the buffer and the matcher of the searches
	engine  grepOptions
	out     *bufio.Writer
	names   bool
	printed bool // something was printed about an earlier file
	matched bool
	failed  bool
	stats   rgStats
	begun   time.Time
}

// rgStats is what --stats and --json sum up.
type rgStats struct {
	matches, lines, filesMatched, files int
	bytesSearched                       int64
}

func runRg(p *command.Proc) int {
	o, paths := parseRg(p)
	r := &rg{p: p, o: o, out: p.Out(), begun: time.Now()}
	if o.typeList {
		o.walk.loadTypes()
		printTypes(r.out, o.walk.types)
		return 0
	}
	if !o.listFiles {
		r.m = newRgMatcher(p, o)
		if o.word && !o.perl {
			r.m = wordMatcher{r.m}
		}
		r.g = &grep{p: p, o: &r.engine, m: r.m, out: r.out, delim: '\n'}
		r.engine = grepOptions{
			invert: o.invert, maxCount: o.maxCount, before: o.before, after: o.after, number: true, binary: binaryText,
			quiet: o.quiet && !o.stats && !o.json, list: o.list,
		}
		r.engine.context = o.before > 0 || o.after > 0 || o.passthru
		if o.passthru {
			r.engine.before, r.engine.after = 0, int(^uint(0)>>1)
		}
	}
	if o.maxCount == 0 && !o.listFiles {
		return 1
	}
	r.roots(paths)
	r.summary()
	switch {
	case r.failed && !(o.quiet && r.matched):
		return statusTrouble
	case r.matched:
		return 0
	}
	return 1
}

// roots searches what the command line names, or else standard input, or else the current directory.
func (r *rg) roots(paths []string) {
	implicit := len(paths) == 0
	if implicit {
		if in := r.readableInput(); in != nil && !r.o.listFiles {
			r.names = r.o.names > 0
			r.search(in, "<stdin>", true)
			return
		}
		paths = []string{"."}
	}
	r.names = r.o.names > 0 || r.o.names == 0 && (len(paths) > 1 || r.isDir(paths[0]))
	w := newWalker(r.p, &r.o.walk)
	w.fail = r.complain
	output, err := r.p.Stat("/dev/stdout")
	toFile := err == nil && output.IsRegular() && !r.o.listFiles
	var found []foundFile
	for _, name := range paths {
		if name == "-" {
			if r.search(r.p.Stdin, "<stdin>", true) {
				return
			}
			continue
		}
		explicit := !r.isDir(name)
		w.visit = func(name string, info sys.Info) bool {
			if toFile && info.Same(output) {
				return false // what is being written is not searched
			}
			if r.ordered() {
				found = append(found, foundFile{name, info, explicit})
				return false
			}
			return r.file(name, explicit)
		}
		if w.root(name, implicit) {
			return
		}
	}
	r.inOrder(found)
}

// foundFile is a file that waits until all are known and sorted.
type foundFile struct {
	name     string
	info     sys.Info
	explicit bool
}

// ordered reports whether files are wanted in another order than that of their paths.
func (r *rg) ordered() bool {
	w := &r.o.walk
	return w.reverse || w.sortKey == "modified" || w.sortKey == "accessed" || w.sortKey == "created"
}

func (r *rg) inOrder(found []foundFile) {
	at := func(i sys.Info) time.Time {
		switch r.o.walk.sortKey {
		case "modified":
			return i.Mtime
		case "accessed":
			return i.Atime
		case "created":
			return i.Ctime
		}
		return time.Time{}
	}
	sort.SliceStable(found, func(i, j int) bool { return at(found[i].info).Before(at(found[j].info)) })
	if r.o.walk.reverse {
		for i, j := 0, len(found)-1; i < j; i, j = i+1, j-1 {
			found[i], found[j] = found[j], found[i]
		}
	}
	for _, f := range found {
		if r.file(f.name, f.explicit) {
			return
		}
	}
}

// readableInput returns standard input when something is to be read there: a pipe of the shell, a file, or a
// stream of the host that is not empty.
func (r *rg) readableInput() io.Reader {
	switch in := command.Unwrap(r.p.Stdin).(type) {
	case nil:
		return nil
	case *pipe.Reader:
		return r.p.Stdin
	case *os.File:
		info, err := sys.Fstat(in)
		if err != nil || info.Mode&fs.ModeDevice != 0 || info.IsDir() {
			return nil
		}
	}
	buffered := bufio.NewReaderSize(r.p.Stdin, grepBuffer)
	if _, err := buffered.Peek(1); err != nil {
		return nil
	}
	return buffered
}

func (r *rg) isDir(name string) bool {
	info, err := r.p.Stat(name)
	return err == nil && info.IsDir()
}

func (r *rg) complain(name string, err error) {
	r.failed = true
	if !r.o.silent {
		r.p.Errorf("%s: %s (os error %d)", name, sys.Strerror(err), errno(err))
	}
}

// file searches or lists one file.
func (r *rg) file(name string, explicit bool) (done bool) {
	if r.o.listFiles {
		r.matched = true
		if r.o.quiet {
			return true
		}
		r.writeName(name)
		return false
	}
	f, err := r.p.Open(name)
	if err != nil {
		r.complain(name, err)
		return false
	}
	defer f.Close()
	return r.search(f, name, explicit)
}

func (r *rg) writeName(name string) {
	r.colored(rgNameColor, name)
	end := byte('\n')
	if r.o.null {
		end = 0
	}
	_ = r.out.WriteByte(end)
}

// search searches a stream and prints what is asked for about it. It reports whether nothing more is to be searched.
func (r *rg) search(in io.Reader, name string, explicit bool) (done bool) {
	f := &rgFile{r: r, name: name, explicit: explicit}
	counted := &countingReader{r: in}
	var err error
	if r.o.multiline {
		err = f.multiline(counted)
	} else {
		err = f.lines(counted)
	}
	if err != nil {
		r.complain(name, err)
	}
	r.stats.files++
	r.stats.bytesSearched += counted.n
	if f.selected > 0 {
		r.matched = true
		r.stats.filesMatched++
	}
	f.finish(counted.n)
	return r.o.quiet && r.matched && !r.o.stats && !r.o.json
}

type countingReader struct {
	r io.Reader
	n int64
}

func (c *countingReader) Read(b []byte) (int, error) {
	n, err := c.r.Read(b)
	c.n += int64(n)
	return n, err
}

// rgFile is the search of one file.
type rgFile struct {
	r        *rg
	name     string
	explicit bool
	selected int
	matches  int
	begun    bool // something has been printed about the file
	binaryAt int64
	isBinary bool
}

// lines searches line by line, which is how most searches go.
func (f *rgFile) lines(in io.Reader) error {
	r := f.r
	s := &search{g: r.g, o: &r.engine, name: f.name, r: in}
	s.emit = f.emit
	s.gapped = f.gap
	if r.o.passthru {
		s.pending = r.engine.after // the lines before the first match are printed as well
	}
	if !r.o.text {
		s.onNUL = func(at int64) bool {
			if !f.isBinary {
				f.isBinary, f.binaryAt = true, at
			}
			// A binary file that nobody named is not searched further.
			return !f.explicit && !r.o.binary
		}
	}
	err := s.run()
	f.selected = s.selected
	if f.isBinary && !f.explicit && !r.o.binary {
		f.selected = 0
		if f.begun {
			f.selected = s.selected
		}
	}
	return err
}

// emit prints a line that the engine has found.
func (f *rgFile) emit(rec record, selected bool) {
	o := f.r.o
	if selected {
		f.selected++
		f.r.stats.lines++
	}
	if f.isBinary && !o.text && !o.count && !o.countMatches {
		return // what is in a binary file is not shown
	}
	var locs [][]int
	if selected && !o.invert && (o.only || o.countMatches || o.column || o.vimgrep || o.replace != nil || o.color || o.json || o.stats) {
		locs = f.r.m.all(rec.text)
		f.matches += len(locs)
		f.r.stats.matches += len(locs)
	} else if selected {
		f.matches++
	}
	if o.quiet || o.count || o.countMatches || o.list != listNone {
		return
	}
	f.print(rec, selected, locs)
}

func (f *rgFile) gap() {
	o := f.r.o
	if o.noSeparator || o.json || o.passthru || o.count {
		return
	}
	_, _ = f.r.out.WriteString(o.separator + "\n")
}

// finish prints what is known only at a file's end.
func (f *rgFile) finish(searched int64) {
	o, r := f.r.o, f.r
	switch {
	case o.json:
		f.jsonEnd(searched)
	case o.quiet:
	case o.list == listMatching && f.selected > 0, o.list == listOthers && f.selected == 0:
		r.writeName(f.name)
	case o.list != listNone:
	case o.count && f.selected > 0:
		f.printCount(f.selected)
	case o.countMatches && f.matches > 0:
		f.printCount(f.matches)
	case o.count || o.countMatches:
	case f.isBinary && !o.text && f.selected > 0 && (f.explicit || o.binary):
		if r.names {
			_, _ = r.out.WriteString(f.name + ": ")
		}
		_, _ = r.out.WriteString("binary file matches (found \"\\0\" byte around offset " + strconv.FormatInt(f.binaryAt, 10) + ")\n")
	}
	if f.begun {
		r.printed = true
	}
}

func (f *rgFile) printCount(n int) {
	if f.r.names {
		f.r.colored(rgNameColor, f.name)
		sep := byte(':')
		if f.r.o.null {
			sep = 0
		}
		_ = f.r.out.WriteByte(sep)
	}
	writeInt(f.r.out, n)
	_ = f.r.out.WriteByte('\n')
}

// multiline searches the whole text of a file at once.
func (f *rgFile) multiline(in io.Reader) error {
	r, o := f.r, f.r.o
	b, err := io.ReadAll(in)
	if err != nil {
		return err
	}
	if i := bytes.IndexByte(b, 0); i >= 0 && !o.text {
		f.isBinary, f.binaryAt = true, int64(i)
		if !f.explicit && !o.binary {
			return nil
		}
	}
	hit := map[int]bool{} // lines, by where they begin, that a match touches
	locs := r.m.all(b)
	for _, loc := range locs {
		start := bytes.LastIndexByte(b[:loc[0]], '\n') + 1
		for at := start; at == start || at < loc[1]; {
			hit[at] = true
			i := bytes.IndexByte(b[at:], '\n')
			if i < 0 {
				break
			}
			at += i + 1
		}
	}
	f.matches += len(locs)
	r.stats.matches += len(locs)
	if (o.only || o.replace != nil) && !o.invert && !o.json {
		f.multilineMatches(b, locs)
		return nil
	}
	// The lines that a match touches are selected; the rest goes as in a search by line.
	lines := &touchedLines{rgMatcher: r.m, hit: hit}
	saved := r.g.m
	r.g.m = lines
	defer func() { r.g.m = saved }()
	s := &search{g: r.g, o: &r.engine, name: f.name}
	s.emit, s.gapped = f.emitTouched, f.gap
	s.lines(b)
	f.selected = s.selected
	return nil
}

func (f *rgFile) emitTouched(rec record, selected bool) {
	o := f.r.o
	if selected {
		f.r.stats.lines++
	}
	if o.quiet || o.count || o.countMatches || o.list != listNone || f.isBinary && !o.text {
		return
	}
	f.print(rec, selected, nil)
}

// multilineMatches prints matches, or what replaces them, by themselves.
func (f *rgFile) multilineMatches(b []byte, locs [][]int) {
	o := f.r.o
	f.selected = len(locs)
	if o.quiet || o.count || o.countMatches || o.list != listNone || f.isBinary && !o.text {
		return
	}
	for _, loc := range locs {
		line := int64(bytes.Count(b[:loc[0]], []byte{'\n'})) + 1
		text := b[loc[0]:loc[1]]
		if o.replace != nil {
			text = f.r.m.expand(nil, *o.replace, b, loc)
		}
		for i, part := range bytes.Split(text, []byte{'\n'}) {
			rec := record{text: part, line: line + int64(i), offset: int64(loc[0])}
			f.begin()
			f.prefix(rec, ':', -1)
			_, _ = f.r.out.Write(part)
			_ = f.r.out.WriteByte('\n')
		}
	}
}

// touchedLines is a matcher of lines that have been found before.
type touchedLines struct {
	rgMatcher
	hit map[int]bool
}

func (m *touchedLines) scan(b []byte, from int) int {
	for from < len(b) {
		if m.hit[from] {
			return from
		}
		i := bytes.IndexByte(b[from:], '\n')
		if i < 0 {
			return -1
		}
		from += i + 1
	}
	return -1
}

// wordBounded reports whether no word goes on at either end of a match.
func wordBounded(text []byte, start, end int) bool {
	before, _ := utf8.DecodeLastRune(text[:start])
	after, _ := utf8.DecodeRune(text[end:])
	return (start == 0 || !isWordRune(before)) && (end == len(text) || !isWordRune(after))
}

func isWordRune(r rune) bool {
	return r == '_' || r != utf8.RuneError && unicode.In(r, unicode.L, unicode.N, unicode.M)
}
