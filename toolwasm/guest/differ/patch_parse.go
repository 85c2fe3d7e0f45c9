package differ

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// hunkLine is one line of a hunk: ' ' context, '-' old, '+' new.
type hunkLine struct {
	op   byte
	text []byte // with its newline, unless the file ends without one
}

// hunk is one place that a patch changes.
type hunk struct {
	oldStart, oldLines int
	newStart, newLines int
	lines              []hunkLine
	function           string // what follows the second @@
	inputLine          int
}

// filePatch is what a patch does to one file.
type filePatch struct {
	oldName, newName   string // as in the headers; "" when there is none
	oldStamp, newStamp string
	index              string // of an Index: line
	context            bool   // the format, for rejects
	normal             bool
	git                bool
	renameFrom         string
	renameTo           string
	copied             bool
	newMode            string
	created, deleted   bool // by a git header
	hunks              []hunk
	stripped           bool     // carriage returns were removed
	leading            []string // the text before, for messages
	inputLine          int
}

// patchError is a mistake in a patch, with its place.
type patchError struct {
	line int
	msg  string
}

func (e *patchError) Error() string { return fmt.Sprintf("%s at line %d", e.msg, e.line) }

// maxPatchLine bounds the numbers in hunk headers.
const maxPatchLine = 1 << 40

// patchReader reads the files of a patch, one after the other.
type patchReader struct {
	lines [][]byte
	at    int
	strip bool // remove carriage returns that the mail added to every line
	named bool // the file is given on the command line
}

func newPatchReader(data []byte) *patchReader {
	s := source{data: data}
	s.split()
	return &patchReader{lines: s.lines}
}

func (r *patchReader) line(i int) string {
	if i < 0 || i >= len(r.lines) {
		return ""
	}
	l := text(r.lines[i])
	if r.strip {
		l = bytes.TrimSuffix(l, []byte{'\r'})
	}
	return string(l)
}

// next returns what the patch says about the next file; nil at the end.
func (r *patchReader) next() (*filePatch, error) {
	fp := &filePatch{}
	start := r.at
	for r.at < len(r.lines) {
		r.strip = bytes.HasSuffix(text(r.lines[r.at]), []byte{'\r'})
		l := r.line(r.at)
		switch {
		case strings.HasPrefix(l, "diff --git "):
			if fp.git && fp.effect() {
				return fp, nil
			}
			*fp = filePatch{git: true}
			fp.oldName, fp.newName = gitNames(l[len("diff --git "):])
			fp.inputLine = r.at + 1
		case fp.git && r.gitHeader(fp, l):
		case strings.HasPrefix(l, "Index:"):
			fp.index = strings.TrimSpace(l[len("Index:"):])
		case strings.HasPrefix(l, "--- ") && strings.HasPrefix(r.line(r.at+1), "+++ ") && strings.HasPrefix(r.line(r.at+2), "@@ -"):
			r.names(fp, start, "--- ", "+++ ")
			return fp, r.unified(fp)
		case strings.HasPrefix(l, "*** ") && strings.HasPrefix(r.line(r.at+1), "--- ") && strings.HasPrefix(r.line(r.at+2), "***************"):
			fp.context = true
			r.names(fp, start, "*** ", "--- ")
			return fp, r.contextual(fp)
		case strings.HasPrefix(l, "@@ -") && fp.git:
			r.lead(fp, start)
			return fp, r.unified(fp)
		case (r.named || fp.index != "") && isNormalCommand(l) && r.normalFollows():
			fp.normal = true
			r.lead(fp, start)
			return fp, r.normal(fp)
		}
		r.at++
	}
	if fp.git && fp.effect() {
		return fp, nil
	}
	return nil, nil
}

// effect reports whether a git header alone changes something.
func (fp *filePatch) effect() bool {
	return fp.renameFrom != "" || fp.newMode != "" || fp.created || fp.deleted
}

func (r *patchReader) gitHeader(fp *filePatch, l string) bool {
	for prefix, set := range map[string]func(string){
		"rename from ":       func(s string) { fp.renameFrom = unquote(s) },
		"rename to ":         func(s string) { fp.renameTo = unquote(s) },
		"copy from ":         func(s string) { fp.renameFrom, fp.copied = unquote(s), true },
		"copy to ":           func(s string) { fp.renameTo = unquote(s) },
		"new file mode ":     func(s string) { fp.newMode, fp.created = s, true },
		"deleted file mode ": func(string) { fp.deleted = true },
		"new mode ":          func(s string) { fp.newMode = s },
		"old mode ":          func(string) {},
		"index ":             func(string) {},
		"similarity index ":  func(string) {},
	} {
		if rest, ok := strings.CutPrefix(l, prefix); ok {
			set(rest)
			return true
		}
	}
	return false
}

// gitNames splits "a/x b/x".
func gitNames(s string) (string, string) {
	if strings.HasPrefix(s, `"`) {
		if end := strings.Index(s[1:], `" `); end >= 0 {
			return unquote(s[:end+2]), unquote(s[end+3:])
		}
	}
	half := len(s) / 2
	if len(s)%2 == 1 && s[half] == ' ' {
		return s[:half], s[half+1:]
	}
	a, b, _ := strings.Cut(s, " ")
	return a, unquote(b)
}

// unquote reads a name that may be a C string.
func unquote(s string) string {
	if len(s) < 2 || s[0] != '"' {
		return s
	}
	var b strings.Builder
	for i := 1; i < len(s) && s[i] != '"'; i++ {
		if s[i] != '\\' || i+1 >= len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		const letters, values = `abtnvfr"\`, "\a\b\t\n\v\f\r\"\\"
		if k := strings.IndexByte(letters, s[i]); k >= 0 {
			b.WriteByte(values[k])
			continue
		}
		n, digits := 0, 0
		for digits < 3 && i+digits < len(s) && s[i+digits] >= '0' && s[i+digits] <= '7' {
			n = n*8 + int(s[i+digits]-'0')
			digits++
		}
		if digits > 0 {
			b.WriteByte(byte(n))
			i += digits - 1
		}
	}
	return b.String()
}

func (r *patchReader) lead(fp *filePatch, start int) {
	fp.inputLine = r.at + 1
	for i := start; i < r.at; i++ {
		fp.leading = append(fp.leading, r.line(i))
	}
}

// names reads the two header lines.
func (r *patchReader) names(fp *filePatch, start int, old, fresh string) {
	fp.oldName, fp.oldStamp = headerName(r.line(r.at)[len(old):])
	fp.newName, fp.newStamp = headerName(r.line(r.at + 1)[len(fresh):])
	fp.stripped = r.strip
	r.at += 2
	r.lead(fp, start)
}

// headerName splits a header into name and time.
func headerName(s string) (name, stamp string) {
	s = strings.TrimLeft(s, " \t")
	if strings.HasPrefix(s, `"`) {
		if end := strings.LastIndexByte(s, '"'); end > 0 {
			return unquote(s[:end+1]), strings.TrimSpace(s[end+1:])
		}
	}
	if name, stamp, ok := strings.Cut(s, "\t"); ok {
		return name, strings.TrimSpace(stamp)
	}
	// A blank also ends the name, when a date follows it.
	if i := strings.IndexByte(s, ' '); i > 0 && looksLikeDate(s[i+1:]) {
		return s[:i], s[i+1:]
	}
	return strings.TrimRight(s, " "), ""
}

func looksLikeDate(s string) bool {
	return len(s) >= 10 && s[4] == '-' && s[7] == '-' && strings.Trim(s[:4], "0123456789") == ""
}

func parseNumber(s string) (n int, rest string, ok bool) {
	i := 0
	for i < len(s) && s[i] >= '0' && s[i] <= '9' {
		n = n*10 + int(s[i]-'0')
		if n > maxPatchLine {
			return 0, s, false
		}
		i++
	}
	return n, s[i:], i > 0
}

// parseRange reads "12,3" or "12".
func parseRange(s string) (start, count int, rest string, ok bool) {
	start, rest, ok = parseNumber(s)
	count = 1
	if ok && strings.HasPrefix(rest, ",") {
		count, rest, ok = parseNumber(rest[1:])
	}
	return start, count, rest, ok
}

func (r *patchReader) malformed(line string) error {
	return &patchError{line: r.at + 1, msg: "malformed patch: " + line}
}

// unified reads hunks that begin with @@.
func (r *patchReader) unified(fp *filePatch) error {
	for r.at < len(r.lines) && strings.HasPrefix(r.line(r.at), "@@ -") {
		head := r.line(r.at)
		h := hunk{inputLine: r.at + 1}
		var ok bool
		rest := head[len("@@ -"):]
		if h.oldStart, h.oldLines, rest, ok = parseRange(rest); !ok || !strings.HasPrefix(rest, " +") {
			return r.malformed(head)
		}
		if h.newStart, h.newLines, rest, ok = parseRange(rest[2:]); !ok || !strings.HasPrefix(rest, " @@") {
			return r.malformed(head)
		}
		h.function = rest[len(" @@"):]
		r.at++
		if err := r.unifiedBody(&h); err != nil {
			return err
		}
		fp.hunks = append(fp.hunks, h)
	}
	return nil
}

func (r *patchReader) body(i int) []byte {
	l := r.lines[i]
	if r.strip && bytes.HasSuffix(l, []byte("\r\n")) {
		return append(bytes.Clone(l[:len(l)-2]), '\n')
	}
	return l
}

func (r *patchReader) unifiedBody(h *hunk) error {
	old, fresh := h.oldLines, h.newLines
	for old > 0 || fresh > 0 {
		if r.at >= len(r.lines) {
			// Blank context lines at the end may have been trimmed away.
			if old == fresh && old <= defaultContext {
				for ; old > 0; old-- {
					h.lines = append(h.lines, hunkLine{' ', []byte{'\n'}})
				}
				return nil
			}
			return &patchError{line: r.at, msg: "unexpected end of file in patch"}
		}
		l := r.body(r.at)
		op := byte(' ')
		rest := l
		if len(text(l)) > 0 {
			op, rest = l[0], l[1:]
		}
		switch op {
		case ' ':
			old--
			fresh--
		case '\t':
			op, rest = ' ', l
			old--
			fresh--
		case '-':
			old--
		case '+':
			fresh--
		case '\\':
			h.chop()
			r.at++
			continue
		default:
			return r.malformed(string(text(l)))
		}
		if old < 0 || fresh < 0 {
			return r.malformed(string(text(l)))
		}
		h.lines = append(h.lines, hunkLine{op, withNewline(rest)})
		r.at++
	}
	if r.at < len(r.lines) && strings.HasPrefix(r.line(r.at), "\\") {
		h.chop()
		r.at++
	}
	return nil
}

// withNewline completes a line that ends the patch without a newline.
func withNewline(l []byte) []byte {
	if complete(l) {
		return l
	}
	return append(bytes.Clone(l), '\n')
}

// chop takes the newline off the last line.
func (h *hunk) chop() {
	if n := len(h.lines); n > 0 {
		h.lines[n-1].text = text(h.lines[n-1].text)
	}
}

// contextual reads hunks that begin with a row of stars.
func (r *patchReader) contextual(fp *filePatch) error {
	for r.at < len(r.lines) && strings.HasPrefix(r.line(r.at), "***************") {
		h := hunk{inputLine: r.at + 1, function: r.line(r.at)[len("***************"):]}
		r.at++
		oldFrom, oldTo, ok := contextHeader(r.line(r.at), "*** ", " ****")
		if !ok {
			return r.malformed(r.line(r.at))
		}
		r.at++
		old, err := r.half("-! ")
		if err != nil {
			return err
		}
		newFrom, newTo, ok := contextHeader(r.line(r.at), "--- ", " ----")
		if !ok {
			return r.malformed(r.line(r.at))
		}
		r.at++
		fresh, err := r.half("+! ")
		if err != nil {
			return err
		}
		h.oldStart, h.oldLines = oldFrom, contextCount(oldFrom, oldTo)
		h.newStart, h.newLines = newFrom, contextCount(newFrom, newTo)
		if len(old) == 0 {
			old = onlyContext(fresh)
		}
		if len(fresh) == 0 {
			fresh = onlyContext(old)
		}
		h.lines = mergeHalves(old, fresh)
		fp.hunks = append(fp.hunks, h)
	}
	return nil
}

// contextCount is the number of lines of a range that is given by its ends; "0" alone is no line.
func contextCount(from, to int) int {
	if to < 0 {
		if from == 0 {
			return 0
		}
		return 1
	}
	return to - from + 1
}

func contextHeader(l, prefix, suffix string) (from, to int, ok bool) {
	if !strings.HasPrefix(l, prefix) || !strings.HasSuffix(l, suffix) {
		return 0, 0, false
	}
	from, rest, ok := parseNumber(l[len(prefix):])
	to = -1
	if ok && strings.HasPrefix(rest, ",") {
		to, rest, ok = parseNumber(rest[1:])
	}
	return from, to, ok && strings.HasPrefix(rest, suffix)
}

// half reads one side of a context hunk.
func (r *patchReader) half(ops string) ([]hunkLine, error) {
	var lines []hunkLine
	for r.at < len(r.lines) {
		l := r.body(r.at)
		s := string(text(l))
		switch {
		case strings.HasPrefix(s, "--- ") || strings.HasPrefix(s, "***"):
			return lines, nil
		case strings.HasPrefix(s, "\\"):
			if n := len(lines); n > 0 {
				lines[n-1].text = text(lines[n-1].text)
			}
		case len(s) >= 2 && strings.IndexByte(ops, s[0]) >= 0 && (s[1] == ' ' || s[1] == '\t'):
			lines = append(lines, hunkLine{s[0], withNewline(l[2:])})
		case s == "" || s == " ":
			lines = append(lines, hunkLine{' ', []byte{'\n'}})
		default:
			return lines, nil
		}
		r.at++
	}
	return lines, nil
}

func onlyContext(lines []hunkLine) []hunkLine {
	var out []hunkLine
	for _, l := range lines {
		if l.op == ' ' {
			out = append(out, l)
		}
	}
	return out
}

// mergeHalves makes one list of the two sides.
func mergeHalves(old, fresh []hunkLine) []hunkLine {
	var out []hunkLine
	i, j := 0, 0
	for i < len(old) || j < len(fresh) {
		for i < len(old) && old[i].op != ' ' {
			out = append(out, hunkLine{'-', old[i].text})
			i++
		}
		for j < len(fresh) && fresh[j].op != ' ' {
			out = append(out, hunkLine{'+', fresh[j].text})
			j++
		}
		if i < len(old) {
			out = append(out, old[i])
			i++
		}
		if j < len(fresh) {
			j++
		}
	}
	return out
}

func isNormalCommand(l string) bool {
	i := strings.IndexAny(l, "acd")
	return i > 0 && strings.Trim(l, "0123456789,acd") == "" && strings.LastIndexAny(l, "acd") == i
}

// normalFollows tells a normal diff's command from a line of text that looks like one.
func (r *patchReader) normalFollows() bool {
	next := r.line(r.at + 1)
	return strings.HasPrefix(next, "< ") || strings.HasPrefix(next, "> ") || next == "<" || next == ">"
}

// normal reads commands like 5,7c8.
func (r *patchReader) normal(fp *filePatch) error {
	for r.at < len(r.lines) && isNormalCommand(r.line(r.at)) {
		l := r.line(r.at)
		i := strings.IndexAny(l, "acd")
		h := hunk{inputLine: r.at + 1}
		oldFrom, oldTo, ok := normalRange(l[:i])
		newFrom, newTo, ok2 := normalRange(l[i+1:])
		if !ok || !ok2 {
			return r.malformed(l)
		}
		h.oldStart, h.oldLines, h.newStart, h.newLines = oldFrom, oldTo-oldFrom+1, newFrom, newTo-newFrom+1
		switch l[i] {
		case 'a':
			h.oldLines = 0
		case 'd':
			h.newLines = 0
		}
		r.at++
		if err := r.normalBody(&h, "<", '-', h.oldLines); err != nil {
			return err
		}
		if l[i] == 'c' {
			if r.line(r.at) != "---" {
				return r.malformed(r.line(r.at))
			}
			r.at++
		}
		if err := r.normalBody(&h, ">", '+', h.newLines); err != nil {
			return err
		}
		fp.hunks = append(fp.hunks, h)
	}
	return nil
}

func normalRange(s string) (from, to int, ok bool) {
	first, last, two := strings.Cut(s, ",")
	from, err := strconv.Atoi(first)
	if err != nil {
		return 0, 0, false
	}
	if !two {
		return from, from, true
	}
	to, err = strconv.Atoi(last)
	return from, to, err == nil && to >= from
}

func (r *patchReader) normalBody(h *hunk, mark string, op byte, n int) error {
	for range n {
		if !strings.HasPrefix(r.line(r.at), mark) {
			return r.malformed(r.line(r.at))
		}
		l := r.body(r.at)[len(mark):]
		if len(l) > 0 && (l[0] == ' ' || l[0] == '\t') {
			l = l[1:]
		}
		h.lines = append(h.lines, hunkLine{op, withNewline(l)})
		r.at++
	}
	if strings.HasPrefix(r.line(r.at), "\\") {
		h.chop()
		r.at++
	}
	return nil
}

// reverse swaps the sides of a patch.
func (fp *filePatch) reverse() {
	fp.oldName, fp.newName = fp.newName, fp.oldName
	fp.oldStamp, fp.newStamp = fp.newStamp, fp.oldStamp
	fp.created, fp.deleted = fp.deleted, fp.created
	fp.renameFrom, fp.renameTo = fp.renameTo, fp.renameFrom
	for i := range fp.hunks {
		fp.hunks[i].reverse()
	}
}

func (h *hunk) reverse() {
	h.oldStart, h.newStart = h.newStart, h.oldStart
	h.oldLines, h.newLines = h.newLines, h.oldLines
	lines := make([]hunkLine, 0, len(h.lines))
	var added []hunkLine
	flush := func() {
		lines = append(lines, added...)
		added = added[:0]
	}
	for _, l := range h.lines {
		switch l.op {
		case '+':
			lines = append(lines, hunkLine{'-', l.text})
		case '-':
			added = append(added, hunkLine{'+', l.text})
		default:
			flush()
			lines = append(lines, l)
		}
	}
	flush()
	h.lines = lines
}
