package filetool

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"syscall"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"openclaw/toolwasm/guest/sys"
)

// Limits of what one read shows.
const (
	maxPageLines = 2000
	sniffSize    = 8 << 10
)

// readDetails are the details of a read.
type readDetails struct {
	Path       string `json:"path"`
	NotFound   bool   `json:"notFound,omitempty"`
	Binary     bool   `json:"binary,omitempty"`
	MIMEType   string `json:"mimeType,omitempty"`
	Width      int    `json:"width,omitempty"` // of an image, in pixels
	Height     int    `json:"height,omitempty"`
	Bytes      int64  `json:"bytes"`
	TotalLines int64  `json:"totalLines"`
	// FirstLine and LastLine say what is shown, counted from 1; both are 0 when no line is.
	FirstLine int64 `json:"firstLine"`
	LastLine  int64 `json:"lastLine"`
	// NextOffset, when there is more, is the line to go on with, from byte NextCursor of it.
	NextOffset int64 `json:"nextOffset,omitempty"`
	NextCursor int64 `json:"nextCursor,omitempty"`
}

// readArguments say what to show: up to limit lines, from byte cursor of line offset.
type readArguments struct {
	path                  string
	offset, limit, cursor int64
	optional              bool
}

func parseRead(raw []byte) (a readArguments, err error) {
	o, err := parseObject(raw, "", "path", "offset", "limit", "cursor", "optional")
	if err != nil {
		return a, err
	}
	if a.path, err = o.path(); err != nil {
		return a, err
	}
	if a.offset, err = o.number("offset", 1, 1); err != nil {
		return a, err
	}
	if a.limit, err = o.number("limit", 1, maxPageLines); err != nil {
		return a, err
	}
	if a.cursor, err = o.number("cursor", 0, 0); err != nil {
		return a, err
	}
	a.optional, err = o.flag("optional")
	return a, err
}

// readTool shows a page of a text file, or an image.
func readTool(c *call, raw []byte) (*result, error) {
	a, err := parseRead(raw)
	if err != nil {
		return nil, err
	}
	r, err := c.read(a)
	if errors.Is(err, fs.ErrNotExist) && a.optional {
		return &result{
			Text:    fmt.Sprintf("[%s does not exist]", a.path),
			Details: map[string]any{"path": a.path, "notFound": true},
		}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %s", a.path, reason(err))
	}
	return r, nil
}

func (c *call) read(a readArguments) (*result, error) {
	name, at, err := c.find(a.path)
	if err != nil {
		return nil, err
	}
	if err := at.regular(); err != nil {
		return nil, err
	}
	f, err := sys.OpenFile(at.path, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	head := make([]byte, sniffSize)
	n, err := io.ReadFull(f, head)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return nil, err
	}
	head = head[:n]
	d := &readDetails{Path: name, Bytes: at.info.Size}
	if mime := imageType(head); mime != "" {
		return readImage(f, head, mime, d)
	}
	if bytes.IndexByte(head, 0) >= 0 {
		return binary(d), nil
	}
	if name != a.path {
		name = a.path + " (found as " + name + ")"
	}
	return c.page(io.MultiReader(bytes.NewReader(head), f), name, a, d)
}

// find locates a file to read. When there is none of that name, one whose name differs only in how Unicode spells it will do:
// names with accents, typographic quotes or special spaces rarely survive being copied.
func (c *call) find(name string) (string, location, error) {
	at, err := locate(c.p.Path(name))
	if err != nil || at.exists {
		return name, at, err
	}
	if c.strays(name, at) {
		return name, at, &fs.PathError{Op: "open", Path: name, Err: syscall.EXDEV}
	}
	variants, err := unicodeVariants(at.path)
	switch {
	case err != nil || len(variants) == 0:
		return name, at, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	case len(variants) > 1:
		quoted := make([]string, len(variants))
		for i, v := range variants {
			quoted[i] = fmt.Sprintf("%+q", v)
		}
		return name, at, fmt.Errorf("no such file, but several names differ from it only in their Unicode spelling: %s", strings.Join(quoted, ", "))
	}
	found := path.Join(path.Dir(name), variants[0])
	at, err = locate(c.p.Path(found))
	return found, at, err
}

// unicodeVariants lists the names beside a missing file that look like its own.
func unicodeVariants(missing string) ([]string, error) {
	entries, err := sys.ReadDir(path.Dir(missing))
	if err != nil {
		return nil, err
	}
	wanted := foldName(path.Base(missing))
	var names []string
	for _, e := range entries {
		if foldName(e.Name()) == wanted && len(names) < maxListed {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

// foldName takes the differences out of a file name that a reader does not see.
func foldName(s string) string {
	if isASCII(s) {
		return s
	}
	return string(foldRunes(norm.NFC.Bytes([]byte(s))))
}

func binary(d *readDetails) *result {
	d.Binary = true
	return &result{Text: fmt.Sprintf("[%s is a binary file of %s; it is not shown]", d.Path, count(int(d.Bytes), "byte")), Details: d}
}

// imageType tells the type of a picture by how it begins.
func imageType(head []byte) string {
	has := func(at int, magic string) bool { return len(head) >= at && bytes.HasPrefix(head[at:], []byte(magic)) }
	switch {
	case has(0, "\x89PNG\r\n\x1a\n"):
		return "image/png"
	case has(0, "\xff\xd8\xff"):
		return "image/jpeg"
	case has(0, "GIF87a"), has(0, "GIF89a"):
		return "image/gif"
	case has(0, "RIFF") && has(8, "WEBP"):
		return "image/webp"
	case has(0, "BM") && has(6, "\x00\x00\x00\x00"): // "BM" alone also begins many a text
		return "image/bmp"
	}
	return ""
}

// readImage attaches a picture, made smaller where it is larger than models see.
func readImage(f io.Reader, head []byte, mime string, d *readDetails) (*result, error) {
	d.MIMEType = mime
	most := int64(maxImage)
	if _, ok := codecOf(mime); ok {
		most = maxScaled
	}
	if d.Bytes > most {
		return notShown(d, fmt.Errorf("it has %d bytes; images of more than %d are not shown", d.Bytes, most)), nil
	}
	data, err := io.ReadAll(io.LimitReader(io.MultiReader(bytes.NewReader(head), f), most))
	if err != nil {
		return nil, err
	}
	p, err := fit(data, mime)
	d.Width, d.Height = p.width, p.height
	if err != nil {
		return notShown(d, err), nil
	}
	text := fmt.Sprintf("[%s: image, %s, %s", d.Path, mime, count(len(data), "byte"))
	if p.width > 0 {
		text += fmt.Sprintf(", %d x %d pixels", p.width, p.height)
	}
	if p.scaled {
		text += fmt.Sprintf("; shown smaller, at most %d pixels wide and high", maxSide)
	}
	return &result{Text: text + "]", Images: []attachment{{MIMEType: p.mime, Data: p.data}}, Details: d}, nil
}

// notShown says why a picture is not attached.
func notShown(d *readDetails, why error) *result {
	d.Binary = true
	return &result{Text: fmt.Sprintf("[%s is an image (%s) that is not shown: %s]", d.Path, d.MIMEType, why), Details: d}
}

// page shows the asked part of a text and counts the lines of the rest.
func (c *call) page(r io.Reader, name string, a readArguments, d *readDetails) (*result, error) {
	p := pager{want: a, line: 1, limit: min(a.limit, maxPageLines), bytes: pageBytes(c.p), readDetails: d}
	buf := make([]byte, ioSize)
	kept := 0 // bytes of an unfinished rune, carried over
	for {
		n, err := r.Read(buf[kept:])
		if err != nil && err != io.EOF {
			return nil, err
		}
		data := buf[:kept+n]
		kept = copy(buf, p.take(data, err == io.EOF))
		if err == io.EOF {
			break
		}
		c.p.Yield()
	}
	p.finish()
	if p.nul {
		return binary(d), nil
	}
	return &result{Text: p.out.String() + p.notice(name), Details: d}, nil
}

// pager takes a text piece by piece and keeps the page that was asked for.
type pager struct {
	*readDetails
	want   readArguments
	limit  int64
	bytes  int // of a page
	out    strings.Builder
	line   int64 // the line that the next byte belongs to
	column int64 // the byte of the line that it is
	full   bool  // the page is complete
	nul    bool  // the page holds a NUL byte: it is no text
	cutAt  int64 // when the page ends inside a line: the length of that line so far
}

// take consumes a piece of the text and returns what of it must be given again with the next one.
func (p *pager) take(b []byte, last bool) []byte {
	for len(b) > 0 {
		if !p.showing() {
			b = p.skip(b)
			continue
		}
		n := p.show(b, last)
		if n == 0 && !p.full {
			return b // half a rune
		}
		b = b[n:]
	}
	return nil
}

// showing reports whether the next byte belongs to the page.
func (p *pager) showing() bool {
	return !p.full && (p.line > p.want.offset || p.line == p.want.offset && p.column >= p.want.cursor)
}

// skip passes over bytes that are not shown: up to where the page may begin, or else to the end of the line.
func (p *pager) skip(b []byte) []byte {
	i := bytes.IndexByte(b, '\n')
	if before := p.want.cursor - p.column; !p.full && p.line == p.want.offset && before > 0 && (i < 0 || before <= int64(i)) {
		n := min(int(before), len(b))
		p.column += int64(n)
		return b[n:]
	}
	if i < 0 {
		p.column += int64(len(b))
		return nil
	}
	p.newline()
	return b[i+1:]
}

func (p *pager) newline() {
	if p.NextOffset == p.line && p.NextCursor > 0 && p.cutAt == 0 {
		p.cutAt = p.column
	}
	p.line, p.column = p.line+1, 0
}

// show adds what fits of the current line and returns how much it used. Zero means that b begins with half a rune, or
// that the page is full.
func (p *pager) show(b []byte, last bool) int {
	if p.FirstLine == 0 {
		p.FirstLine = p.line
	}
	if p.line-p.FirstLine >= p.limit {
		p.stop()
		return 0
	}
	p.LastLine = p.line
	used := 0
	for used < len(b) {
		ch := b[used]
		r, n := rune(ch), 1
		if ch >= utf8.RuneSelf {
			if !last && !utf8.FullRune(b[used:]) {
				return used
			}
			r, n = utf8.DecodeRune(b[used:])
			if p.column == p.want.cursor && p.line == p.want.offset && p.column > 0 && !utf8.RuneStart(ch) {
				used, p.column, p.want.cursor = used+1, p.column+1, p.want.cursor+1 // the cursor was inside a rune
				continue
			}
		}
		if p.out.Len()+utf8.RuneLen(r) > p.bytes {
			p.stop()
			return used
		}
		p.out.WriteRune(r)
		used, p.column = used+n, p.column+int64(n)
		switch ch {
		case 0:
			p.nul = true
		case '\n':
			p.newline()
			return used
		}
	}
	return used
}

// stop ends the page before the next byte. A line that does not fit whole is left to the next page, unless the page would
// be empty without it.
func (p *pager) stop() {
	p.full = true
	p.NextOffset, p.NextCursor = p.line, p.column
	if p.column == 0 {
		p.LastLine = p.line - 1
		return
	}
	if p.line == p.FirstLine {
		return
	}
	text := p.out.String()
	p.out.Reset()
	p.out.WriteString(text[:strings.LastIndexByte(text, '\n')+1])
	p.LastLine, p.NextCursor = p.line-1, 0
}

// finish knows how many lines there were once the text has ended.
func (p *pager) finish() {
	if p.cutAt == 0 && p.NextCursor > 0 {
		p.cutAt = p.column
	}
	p.TotalLines = p.line
	if p.column == 0 {
		p.TotalLines--
	}
}

// notice says, in brackets, what is not shown and how to see it.
func (p *pager) notice(name string) string {
	switch {
	case p.TotalLines == 0:
		return fmt.Sprintf("[%s is empty: 0 lines]", name)
	case p.FirstLine == 0 && p.want.offset > p.TotalLines:
		return fmt.Sprintf("[no lines from %d on: %s has %s]", p.want.offset, name, count(int(p.TotalLines), "line"))
	case p.FirstLine == 0:
		return fmt.Sprintf("[nothing from byte %d of line %d on: the line is shorter]", p.want.cursor, p.want.offset)
	case p.NextCursor > 0:
		return p.separate(fmt.Sprintf("[line %d of %d: up to byte %d of %d of the line; go on with offset=%d cursor=%d]",
			p.NextOffset, p.TotalLines, p.NextCursor, p.cutAt, p.NextOffset, p.NextCursor))
	case p.NextOffset > 0:
		return p.separate(fmt.Sprintf("[lines %d-%d of %d; go on with offset=%d]", p.FirstLine, p.LastLine, p.TotalLines, p.NextOffset))
	}
	return ""
}

// separate puts a notice on a line of its own.
func (p *pager) separate(notice string) string {
	if strings.HasSuffix(p.out.String(), "\n") {
		return notice
	}
	return "\n" + notice
}
