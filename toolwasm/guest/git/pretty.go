package git

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"openclaw/toolwasm/guest/git/object"
	"openclaw/toolwasm/guest/git/refs"
)

// pretty is how commits are shown.
type pretty struct {
	r          *repo
	format     string // oneline, short, medium, full, fuller, reference, raw, email, or user
	user       string // the text of a user's format
	terminator bool   // commits are ended with a newline, not separated by blank lines
	date       string
	decorate   string // "", "short" or "full"
	abbrev     bool   // abbreviate names of commits
	abbrevLen  int
	parents    bool // show the names of parents
	names      map[object.ID][]string
	fullNames  map[object.ID][]string
	mark       func(c *object.Commit) string
	reflog     *reflogItem
}

// reflogItem is the change of a reference that a commit is shown for.
type reflogItem struct {
	selector, message string
	who               object.Signature
}

// setFormat reads the argument of --pretty and --format.
func (p *pretty) setFormat(g *git, name string) {
	for range 5 {
		alias, ok := g.anyConfig().get("pretty." + strings.ToLower(name))
		if !ok {
			break
		}
		name = alias
	}
	switch {
	case name == "" || name == "medium":
		p.format, p.terminator = "medium", false
	case strings.HasPrefix(name, "format:"):
		p.format, p.user, p.terminator = "user", name[len("format:"):], false
	case strings.HasPrefix(name, "tformat:"):
		p.format, p.user, p.terminator = "user", name[len("tformat:"):], true
	case strings.Contains(name, "%"):
		p.format, p.user, p.terminator = "user", name, true
	case name == "reference":
		p.format, p.user, p.terminator = "user", "%h (%s, %ad)", true
		p.abbrev = true
		if p.date == "default" {
			p.date = "short"
		}
	default:
		for _, known := range []string{"oneline", "short", "medium", "full", "fuller", "raw", "email"} {
			if strings.HasPrefix(known, name) {
				p.format, p.terminator = known, known == "oneline"
				return
			}
		}
		g.die("invalid --pretty format: %s", name)
	}
}

// id shows the name of a commit.
func (p *pretty) id(id object.ID) string {
	if p.abbrev {
		return p.r.db.Abbrev(id, p.abbrevWidth())
	}
	return id.String()
}

func (p *pretty) abbrevWidth() int {
	if p.abbrevLen > 0 {
		return p.abbrevLen
	}
	return p.r.abbrevLen()
}

// loadNames finds which references name which commits.
func (p *pretty) loadNames() {
	if p.names != nil {
		return
	}
	p.names, p.fullNames = map[object.ID][]string{}, map[object.ID][]string{}
	head := p.r.branch()
	list := p.r.refs.List("refs/")
	add := func(id object.ID, short, full string) {
		p.names[id] = append(p.names[id], short)
		p.fullNames[id] = append(p.fullNames[id], full)
	}
	if id, ok := p.r.head(); ok {
		if head != "" {
			add(id, "HEAD -> "+strings.TrimPrefix(head, refs.Heads), "HEAD -> "+head)
		} else {
			add(id, "HEAD", "HEAD")
		}
	}
	for _, ref := range slices.Backward(list) {
		if ref.Name == head {
			continue
		}
		id := ref.ID
		short := shortRef(ref.Name)
		full := ref.Name
		switch {
		case strings.HasPrefix(ref.Name, refs.Tags):
			short, full = "tag: "+short, "tag: "+full
			if peeled, err := p.r.peel(id, 0); err == nil {
				id = peeled
			}
		case ref.Name == refs.Stash:
			short = ref.Name
		case !strings.HasPrefix(ref.Name, refs.Heads) && !strings.HasPrefix(ref.Name, "refs/remotes/"):
			continue
		}
		add(id, short, full)
	}
}

// decoration lists the references of a commit, "" when there are none.
func (p *pretty) decoration(id object.ID) string {
	p.loadNames()
	names := p.names[id]
	if p.decorate == "full" {
		names = p.fullNames[id]
	}
	return strings.Join(names, ", ")
}

// render returns a commit as it is shown, its last line ended unless the format is the user's.
func (p *pretty) render(c *object.Commit) string {
	switch p.format {
	case "user":
		return p.expand(c, p.user)
	case "oneline":
		return p.marked(c) + p.id(c.ID) + p.parentNames(c) + p.inParens(c.ID) + p.reflogPart(" ") + " " + c.Subject() + "\n"
	case "email":
		return p.email(c)
	}
	var b strings.Builder
	b.WriteString("commit " + p.marked(c) + p.id(c.ID) + p.parentNames(c) + p.inParens(c.ID) + "\n")
	if p.format == "raw" {
		p.rawHeader(&b, c)
	} else {
		p.header(&b, c)
	}
	b.WriteByte('\n')
	message := strings.TrimRight(trimBlankStart(c.Message), " \t\r\n")
	if p.format == "short" {
		message = c.Subject()
	}
	if message != "" {
		for line := range strings.SplitSeq(message, "\n") {
			if p.format != "raw" {
				line = strings.TrimRight(line, " \t\r")
			}
			if line == "" {
				b.WriteString("    \n"[:4] + "\n")
				continue
			}
			b.WriteString("    " + expandTabs(line) + "\n")
		}
	}
	if p.format == "short" {
		b.WriteByte('\n')
		return strings.TrimSuffix(b.String(), "\n")
	}
	return b.String()
}

// trimBlankStart removes empty lines at the beginning.
func trimBlankStart(s string) string {
	for {
		line, rest, ok := strings.Cut(s, "\n")
		if !ok || strings.TrimSpace(line) != "" {
			return s
		}
		s = rest
	}
}

// expandTabs replaces tabs with blanks up to the next stop.
func expandTabs(s string) string {
	if !strings.Contains(s, "\t") {
		return s
	}
	var b strings.Builder
	col := 0
	for _, r := range s {
		if r == '\t' {
			n := 8 - col%8
			b.WriteString(strings.Repeat(" ", n))
			col += n
			continue
		}
		b.WriteRune(r)
		col++
	}
	return b.String()
}

func (p *pretty) marked(c *object.Commit) string {
	if p.mark == nil {
		return ""
	}
	return p.mark(c)
}

func (p *pretty) parentNames(c *object.Commit) string {
	if !p.parents {
		return ""
	}
	s := ""
	for _, id := range c.Parents {
		s += " " + p.id(id)
	}
	return s
}

func (p *pretty) inParens(id object.ID) string {
	if p.decorate == "" {
		return ""
	}
	if d := p.decoration(id); d != "" {
		return " (" + d + ")"
	}
	return ""
}

func (p *pretty) reflogPart(before string) string {
	if p.reflog == nil {
		return ""
	}
	return before + p.reflog.selector + ": " + p.reflog.message
}

func (p *pretty) header(b *strings.Builder, c *object.Commit) {
	if p.reflog != nil {
		fmt.Fprintf(b, "Reflog: %s (%s <%s>)\nReflog message: %s\n", p.reflog.selector, p.reflog.who.Name, p.reflog.who.Email, p.reflog.message)
	}
	if len(c.Parents) > 1 {
		b.WriteString("Merge:")
		for _, id := range c.Parents {
			b.WriteString(" " + p.r.db.Abbrev(id, p.abbrevWidth()))
		}
		b.WriteByte('\n')
	}
	who := func(s object.Signature) string { return s.Name + " <" + s.Email + ">" }
	switch p.format {
	case "short":
		b.WriteString("Author: " + who(c.Author) + "\n")
	case "full":
		b.WriteString("Author: " + who(c.Author) + "\nCommit: " + who(c.Committer) + "\n")
	case "fuller":
		b.WriteString("Author:     " + who(c.Author) + "\nAuthorDate: " + p.r.g.formatDate(c.Author, p.date) + "\n")
		b.WriteString("Commit:     " + who(c.Committer) + "\nCommitDate: " + p.r.g.formatDate(c.Committer, p.date) + "\n")
	default:
		b.WriteString("Author: " + who(c.Author) + "\nDate:   " + p.r.g.formatDate(c.Author, p.date) + "\n")
	}
}

func (p *pretty) rawHeader(b *strings.Builder, c *object.Commit) {
	b.WriteString("tree " + c.Tree.String() + "\n")
	for _, id := range c.Parents {
		b.WriteString("parent " + id.String() + "\n")
	}
	b.WriteString("author " + c.Author.String() + "\ncommitter " + c.Committer.String() + "\n")
}

func (p *pretty) email(c *object.Commit) string {
	return fmt.Sprintf("From %s Mon Sep 17 00:00:00 2001\nFrom: %s <%s>\nDate: %s\nSubject: [PATCH] %s\n\n%s", c.ID, c.Author.Name,
		c.Author.Email, p.r.g.formatDate(c.Author, "rfc"), c.Subject(), object.Body(c.Message))
}

// padding is what %<(…) and its kin ask for the next placeholder.
type padding struct {
	width        int
	left, center bool // blanks on the left, or on both sides
	column       bool // the width counts from the beginning of the line
	cut          string
	active       bool
}

// expand fills in a user's format.
func (p *pretty) expand(c *object.Commit, format string) string {
	var b strings.Builder
	var pad padding
	for i := 0; i < len(format); {
		if format[i] != '%' {
			b.WriteByte(format[i])
			i++
			continue
		}
		if n, ok := readPadding(format[i:], &pad); ok {
			i += n
			continue
		}
		text, n, ok := p.placeholder(c, format[i+1:])
		if !ok {
			b.WriteByte('%')
			i++
			continue
		}
		skip := 1 + n
		if n > 0 && strings.IndexByte("+- ", format[i+1]) >= 0 {
			text = joinOptional(&b, format[i+1], text)
		}
		if pad.active {
			text = pad.apply(text, b.String())
			pad.active = false
		}
		b.WriteString(text)
		i += skip
	}
	return b.String()
}

// joinOptional is what %+x, %-x and "% x" do.
func joinOptional(b *strings.Builder, how byte, text string) string {
	switch {
	case how == '+' && text != "":
		return "\n" + text
	case how == ' ' && text != "":
		return " " + text
	case how == '-' && text == "":
		s := strings.TrimRight(b.String(), "\n")
		b.Reset()
		b.WriteString(s)
	}
	return text
}

func readPadding(s string, pad *padding) (int, bool) {
	if len(s) < 3 || s[1] != '<' && s[1] != '>' {
		return 0, false
	}
	next := padding{active: true}
	i := 1
	if s[1] == '>' {
		next.left = true
		i++
		if i < len(s) && (s[i] == '<' || s[i] == '>') {
			next.center = s[i] == '<'
			i++
		}
	} else {
		i++
	}
	if i < len(s) && s[i] == '|' {
		next.column = true
		i++
	}
	if i >= len(s) || s[i] != '(' {
		return 0, false
	}
	end := strings.IndexByte(s[i:], ')')
	if end < 0 {
		return 0, false
	}
	number, cut, _ := strings.Cut(s[i+1:i+end], ",")
	width, err := strconv.Atoi(strings.TrimSpace(number))
	const widest = 10000
	if err != nil || width < 0 || width > widest {
		return 0, false
	}
	next.width, next.cut = width, cut
	*pad = next
	return i + end + 1, true
}

func (pad *padding) apply(text, before string) string {
	width := pad.width
	if pad.column {
		line := before[strings.LastIndexByte(before, '\n')+1:]
		width = max(width-utf8.RuneCountInString(line), 0)
	}
	n := utf8.RuneCountInString(text)
	if n > width {
		runes := []rune(text)
		switch pad.cut {
		case "trunc":
			return string(runes[:max(width-2, 0)]) + ".."
		case "ltrunc":
			return ".." + string(runes[n-max(width-2, 0):])
		case "mtrunc":
			half := max(width-2, 0) / 2
			return string(runes[:half]) + ".." + string(runes[n-(max(width-2, 0)-half):])
		}
		return text
	}
	blanks := width - n
	switch {
	case pad.center:
		return strings.Repeat(" ", blanks/2) + text + strings.Repeat(" ", blanks-blanks/2)
	case pad.left:
		return strings.Repeat(" ", blanks) + text
	}
	return text + strings.Repeat(" ", blanks)
}

// placeholder expands what follows a percent sign and returns how long it is.
func (p *pretty) placeholder(c *object.Commit, s string) (text string, n int, ok bool) {
	if s == "" {
		return "", 0, false
	}
	switch s[0] {
	case '%':
		return "%", 1, true
	case '+', '-', ' ':
		text, n, ok := p.placeholder(c, s[1:])
		return text, n + 1, ok
	case 'n':
		return "\n", 1, true
	case 'x':
		if len(s) >= 3 {
			if v, err := strconv.ParseUint(s[1:3], 16, 8); err == nil {
				return string([]byte{byte(v)}), 3, true
			}
		}
		return "", 0, false
	case 'H':
		return c.ID.String(), 1, true
	case 'h':
		return p.r.db.Abbrev(c.ID, p.abbrevWidth()), 1, true
	case 'T':
		return c.Tree.String(), 1, true
	case 't':
		return p.r.db.Abbrev(c.Tree, p.abbrevWidth()), 1, true
	case 'P', 'p':
		var names []string
		for _, id := range c.Parents {
			if s[0] == 'P' {
				names = append(names, id.String())
			} else {
				names = append(names, p.r.db.Abbrev(id, p.abbrevWidth()))
			}
		}
		return strings.Join(names, " "), 1, true
	case 's':
		return c.Subject(), 1, true
	case 'f':
		return sanitize(c.Subject()), 1, true
	case 'b':
		return object.Body(c.Message), 1, true
	case 'B':
		return trimBlankStart(c.Message), 1, true
	case 'd':
		if d := p.decoration(c.ID); d != "" {
			return " (" + d + ")", 1, true
		}
		return "", 1, true
	case 'D':
		return p.decoration(c.ID), 1, true
	case 'e':
		return c.Encoding, 1, true
	case 'm':
		if p.mark != nil {
			return strings.TrimSpace(p.mark(c)), 1, true
		}
		return ">", 1, true
	case 'N':
		return "", 1, true
	case 'S':
		return "", 1, true
	case 'C':
		return colorPlaceholder(s)
	case 'G':
		return signaturePlaceholder(s)
	case 'g':
		return p.reflogPlaceholder(s)
	case 'a', 'c':
		return p.personPlaceholder(c, s)
	case 'w':
		if end := strings.IndexByte(s, ')'); strings.HasPrefix(s, "w(") && end > 0 {
			return "", end + 1, true
		}
	case '(':
		return p.longPlaceholder(c, s)
	}
	return "", 0, false
}

// colorPlaceholder leaves colors out: there is no terminal.
func colorPlaceholder(s string) (string, int, bool) {
	if strings.HasPrefix(s, "C(") {
		if end := strings.IndexByte(s, ')'); end > 0 {
			return "", end + 1, true
		}
		return "", 0, false
	}
	for _, name := range []string{"Cred", "Cgreen", "Cblue", "Creset"} {
		if strings.HasPrefix(s, name) {
			return "", len(name), true
		}
	}
	return "", 0, false
}

// signaturePlaceholder says that nothing is known of signatures: they are not checked here.
func signaturePlaceholder(s string) (string, int, bool) {
	if len(s) < 2 {
		return "", 0, false
	}
	switch s[1] {
	case '?':
		return "N", 2, true
	case 'T':
		return "undefined", 2, true
	case 'G', 'S', 'K', 'F', 'P':
		return "", 2, true
	}
	return "", 0, false
}

func (p *pretty) reflogPlaceholder(s string) (string, int, bool) {
	if len(s) < 2 || strings.IndexByte("dDsnNeE", s[1]) < 0 {
		return "", 0, false
	}
	if p.reflog == nil {
		return "", 2, true
	}
	switch s[1] {
	case 'd', 'D':
		return p.reflog.selector, 2, true
	case 's':
		return p.reflog.message, 2, true
	case 'n', 'N':
		return p.reflog.who.Name, 2, true
	}
	return p.reflog.who.Email, 2, true
}

func (p *pretty) personPlaceholder(c *object.Commit, s string) (string, int, bool) {
	if len(s) < 2 {
		return "", 0, false
	}
	who := c.Author
	if s[0] == 'c' {
		who = c.Committer
	}
	date := func(mode string) (string, int, bool) { return p.r.g.formatDate(who, mode), 2, true }
	switch s[1] {
	case 'n', 'N':
		return who.Name, 2, true
	case 'e', 'E':
		return who.Email, 2, true
	case 'l', 'L':
		local, _, _ := strings.Cut(who.Email, "@")
		return local, 2, true
	case 'd':
		return date(p.date)
	case 'D':
		return date("rfc")
	case 'r':
		return date("relative")
	case 't':
		return date("unix")
	case 'i':
		return date("iso")
	case 'I':
		return date("iso-strict")
	case 's':
		return date("short")
	case 'h':
		return date("human")
	}
	return "", 0, false
}

func (p *pretty) longPlaceholder(c *object.Commit, s string) (string, int, bool) {
	end := strings.IndexByte(s, ')')
	if end < 0 {
		return "", 0, false
	}
	inside := s[1:end]
	if name, _, _ := strings.Cut(inside, ":"); name == "trailers" {
		return formatTrailers(c.Message, inside), end + 1, true
	}
	if inside == "describe" {
		if d, ok := p.r.describe(c.ID, describeOptions{}); ok {
			return d, end + 1, true
		}
		return "", end + 1, true
	}
	return "", 0, false
}

// formatTrailers returns the "Key: value" lines at the end of a message.
func formatTrailers(message, options string) string {
	_, opts, _ := strings.Cut(options, ":")
	key, valueOnly, sep := "", false, "\n"
	hasSep := false
	for opt := range strings.SplitSeq(opts, ",") {
		name, value, _ := strings.Cut(opt, "=")
		switch name {
		case "key":
			key = strings.TrimSuffix(value, ":")
		case "valueonly":
			valueOnly = value == "" || value == "true"
		case "separator":
			sep, hasSep = strings.NewReplacer("%x2C", ",", "%n", "\n", "%x00", "\x00").Replace(value), true
		}
	}
	var lines []string
	for _, t := range trailers(message) {
		k, v, _ := strings.Cut(t, ":")
		if key != "" && !strings.EqualFold(k, key) {
			continue
		}
		if valueOnly {
			t = strings.TrimSpace(v)
		}
		lines = append(lines, t)
	}
	text := strings.Join(lines, sep)
	if text != "" && !hasSep {
		text += "\n"
	}
	return text
}

// trailers lists the lines of the last paragraph, when that consists of trailers.
func trailers(message string) []string {
	paragraphs := strings.Split(strings.TrimRight(message, "\n"), "\n\n")
	if len(paragraphs) < 2 {
		return nil
	}
	lines := strings.Split(paragraphs[len(paragraphs)-1], "\n")
	for _, l := range lines {
		k, _, ok := strings.Cut(l, ":")
		if !ok || k == "" || strings.ContainsAny(k, " \t") {
			return nil
		}
	}
	return lines
}

// sanitize makes of a subject what could be a file name.
func sanitize(s string) string {
	var b strings.Builder
	dash := false
	for i := 0; i < len(s); i++ {
		c := s[i]
		ok := c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || c == '.' || c == '_'
		if !ok {
			dash = true
			continue
		}
		if dash && b.Len() > 0 {
			b.WriteByte('-')
		}
		dash = false
		if c == '.' && strings.HasSuffix(b.String(), ".") {
			continue
		}
		b.WriteByte(c)
	}
	return strings.TrimRight(b.String(), ".-")
}
