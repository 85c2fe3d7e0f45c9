package compaction

import (
	"fmt"
	"slices"
	"strings"
)

// Parts of a summary, in tenths of it, at most. What they leave is for what the model has written.
const (
	prefixShare = 2
	recentShare = 2
	shares      = 10
	minChars    = 400 // of a summary
	smallShare  = 8   // the request, and the lists of files, have at most one so many-th each
	minSection  = 8   // characters that are left of each section
)

const (
	headingRequest = "The request that is being worked on"
	headingPrefix  = "The beginning of the turn that goes on below"
	headingRecent  = "The last turns before this point, in their words"
)

// assemble makes a summary of what a model has written: as long as it may be, in characters and in tokens.
func (w *work) assemble(text, prefix string) string {
	most := MaxSummaryChars
	for {
		summary := w.within(most, text, prefix)
		tokens := w.Count.Text(summary)
		if tokens <= w.maxTokens || most <= minChars {
			return summary
		}
		most = max(minChars, min(most*9/10, int(int64(chars(summary))*w.maxTokens/tokens)))
	}
}

// within makes a summary of at most so many characters. The request comes first, so that no cut can take it.
func (w *work) within(most int, text, prefix string) string {
	var before, behind strings.Builder
	if w.details.Request != "" {
		fmt.Fprintf(&before, "## %s\n%s\n\n", headingRequest, clip(w.details.Request, most/smallShare))
	}
	if prefix != "" {
		fmt.Fprintf(&behind, "\n\n## %s\n%s", headingPrefix, head(prefix, most*prefixShare/shares))
	}
	behind.WriteString(w.recent(most * recentShare / shares))
	if lists := w.details.fileLists(); chars(lists) <= most/smallShare {
		behind.WriteString(lists)
	}
	written := split(text)
	left := most - chars(before.String()) - chars(behind.String())
	if !w.Identifiers || w.Quality && !written.complete() { // an audit would not take it in any case
		written.shrink(left, nil)
	} else {
		room := min(most*identifiersShare/shares, left/2)
		written.identify(before.String()+behind.String(), w.details.Identifiers, room, left)
	}
	return before.String() + written.String() + behind.String()
}

// recent are the words of the last turns that are summarised, because wording is what summaries lose first.
func (w *work) recent(most int) string {
	if w.RecentTurns == 0 {
		return ""
	}
	var turns []string
	items := w.Items[w.cut.Begin:w.cut.Turn]
	for end := len(items); end > 0 && len(turns) < w.RecentTurns; {
		begin := end - 1
		for begin > 0 && items[begin].Kind != KindUser {
			begin--
		}
		if text := turnText(items[begin:end]); text != "" {
			turns = append(turns, text)
		}
		end = begin
	}
	head := "\n\n## " + headingRecent
	most -= chars(head)
	n := 0
	for n < len(turns) && most >= chars(turns[n]) {
		most -= chars(turns[n])
		n++
	}
	if n == 0 {
		return ""
	}
	turns = turns[:n]
	slices.Reverse(turns)
	return head + strings.Join(turns, "")
}

// turnText is what was said in a turn: what was asked, and the last answer.
func turnText(items []Item) string {
	var asked, answered string
	for i := range items {
		switch items[i].Kind {
		case KindUser:
			asked = items[i].Message.Text()
		case KindAssistant:
			if text := items[i].Message.Text(); strings.TrimSpace(text) != "" {
				answered = text
			}
		}
	}
	text := ""
	if asked = oneLine(asked); asked != "" {
		text += "\nUser: " + clip(asked, MaxRecentChars)
	}
	if answered = oneLine(answered); answered != "" {
		text += "\nAssistant: " + clip(answered, MaxRecentChars)
	}
	return text
}

// sections are what a model has written, by Headings. lead is what stood in front of the first.
type sections struct {
	lead string
	text []string
}

// split takes what a model has written apart. Headings are known in any case and with any marks around them.
func split(text string) *sections {
	s := &sections{text: make([]string, len(Headings))}
	at := -1
	for line := range strings.Lines(text) {
		if i := headingOf(line); i >= 0 {
			at = i
			continue
		}
		if at < 0 {
			s.lead += line
			continue
		}
		s.text[at] += line
	}
	s.lead = strings.TrimSpace(s.lead)
	for i := range s.text {
		s.text[i] = strings.TrimSpace(s.text[i])
	}
	return s
}

// headingOf is which of Headings a line is, or -1.
func headingOf(line string) int {
	line = strings.TrimSpace(line)
	if !strings.HasPrefix(line, "#") && !strings.HasPrefix(line, "**") {
		return -1
	}
	name := strings.ToLower(strings.Trim(line, "#*: \t"))
	return slices.IndexFunc(Headings, func(h string) bool { return strings.ToLower(h) == name })
}

// complete tells that there is something under every heading.
func (s *sections) complete() bool { return !slices.Contains(s.text, "") }

func (s *sections) String() string {
	var b strings.Builder
	if s.lead != "" {
		b.WriteString(s.lead + "\n\n")
	}
	for i, heading := range Headings {
		if s.text[i] == "" {
			continue // the audit will say so
		}
		fmt.Fprintf(&b, "## %s\n%s\n\n", heading, s.text[i])
	}
	return strings.TrimRight(b.String(), "\n")
}

// shrink shortens the longest parts until all of them have at most so many characters. The part that is spared stays.
func (s *sections) shrink(most int, spared *string) {
	fields := []*string{&s.lead}
	for i := range s.text {
		fields = append(fields, &s.text[i])
	}
	fields = slices.DeleteFunc(fields, func(f *string) bool { return f == spared })
	for range 8 * len(fields) {
		over := chars(s.String()) - most
		if over <= 0 {
			return
		}
		longest := slices.MaxFunc(fields, func(a, b *string) int { return chars(*a) - chars(*b) })
		n := chars(*longest)
		if n <= minSection {
			return
		}
		*longest = head(*longest, max(n-over, n*2/3, minSection))
	}
}

// identifyRounds bounds how often room is made for identifiers: what is shortened for some may have held others.
const identifyRounds = 4

// identify puts the identifiers that are nowhere in the summary under their heading, at most so many characters of them, and
// shortens the rest to make room.
func (s *sections) identify(around string, list []Identifier, room, most int) {
	own := &s.text[len(s.text)-1]
	if written := head(*own, max(room/2, most/shares)); written != "" {
		*own = written
	}
	written := *own
	for range identifyRounds {
		*own = written
		if lines := missing(around+s.String(), list, room); len(lines) > 0 {
			if strings.EqualFold(strings.Trim(written, "-*. "), "none") {
				written = ""
			}
			*own = strings.TrimLeft(written+"\n"+strings.Join(lines, "\n"), "\n")
		}
		if chars(s.String()) <= most {
			return
		}
		s.shrink(most, own)
	}
	s.shrink(most, nil)
}

// audit is what a summary lacks, in sentences for the model that wrote it.
func (w *work) audit(summary string) (faults []string) {
	if n := chars(summary); n > MaxSummaryChars {
		faults = append(faults, fmt.Sprintf("It has %d characters, and may have %d.", n, MaxSummaryChars))
	}
	if !w.Quality {
		return faults
	}
	s := split(summary)
	for i, heading := range Headings {
		if s.text[i] == "" {
			faults = append(faults, fmt.Sprintf("There is nothing under the heading %q.", "## "+heading))
		}
	}
	return faults
}
