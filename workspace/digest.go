package workspace

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// maxDigestLine bounds a line of a digest, which is folded to one line.
const maxDigestLine = 240

// digestHead stands above a digest.
const digestHead = "[rules from the part that is left out]\n"

// digest are the lines of a text that seem to demand something.
type digest struct{ lines []digestLine }

type digestLine struct {
	text string
	high bool // it says that something must or must not be
}

// rule finds words by which a line demands something, in English and Chinese.
var rule = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(must|never|always|required?|do not|don't|cannot|can't|should|shall|only|avoid|forbidden|prohibit(ed)?|important|critical|` +
		`warning|caution|danger(ous)?|security|secrets?|passwords?|credentials?|tokens?|privacy|private|confidential|permission|approv(e|al)|confirm|ask|` +
		`policy|rules?|tests?|commits?|push|merge|deploy|release|delete|destructive|backup)\b|` +
		`必须|不得|禁止|不要|切勿|务必|严禁|绝不|应当|应该|安全|密钥|密码|机密|隐私|测试|提交|部署|删除|确认|批准`)
})

// item finds headings, list items and numbered items.
var item = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\s*(#{1,6}\s|[-*+]\s|\d+[.)]\s)`) })

func newDigest(text string) *digest {
	d := &digest{}
	fence, before := "", ""
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimSpace(line)
		if mark := fenceOf(line); mark != "" {
			// Code demands nothing, and prose before it does not belong to what comes after.
			switch {
			case fence == "":
				fence = mark
			case strings.HasPrefix(mark, fence) && strings.Trim(line, mark[:1]) == "":
				fence = ""
			}
			before = ""
			continue
		}
		if fence != "" {
			continue
		}
		if line == "" {
			before = ""
			continue
		}
		high, listed := rule().MatchString(line), item().MatchString(line)
		if !high && !listed {
			before = line
			continue
		}
		if strings.HasPrefix(line, "#") {
			before = ""
		}
		d.lines, before = append(d.lines, digestLine{withProse(before, line), high}), ""
	}
	return d
}

// withProse is a line with what introduces it, as far as there is room beside the line itself.
func withProse(before, line string) string {
	line = oneLine(line, maxDigestLine)
	before = oneLine(before, max(0, maxDigestLine-1-Chars(line)))
	return strings.TrimSpace(before + " " + line)
}

// fenceOf is the run of backquotes or tildes that begins a line of a code fence.
func fenceOf(line string) string {
	for _, c := range []string{"`", "~"} {
		if n := len(line) - len(strings.TrimLeft(line, c)); n >= 3 {
			return line[:n]
		}
	}
	return ""
}

// text is the digest in so many units: the lines that say must first, then others, as many as fit, in the order of the source.
func (d *digest) text(room int) string {
	if len(d.lines) == 0 {
		return ""
	}
	const note = "[%d more lines are left out]\n"
	left := room - Chars(digestHead) - Chars(fmt.Sprintf(note, len(d.lines)))
	var chosen []int
	for _, high := range []bool{true, false} {
		for i, line := range d.lines {
			if n := Chars(line.text) + 1; line.high == high && n <= left {
				chosen = append(chosen, i)
				left -= n
			}
		}
	}
	if len(chosen) == 0 {
		return ""
	}
	slices.Sort(chosen)
	var b strings.Builder
	b.WriteString(digestHead)
	for _, i := range chosen {
		b.WriteString(d.lines[i].text + "\n")
	}
	if omitted := len(d.lines) - len(chosen); omitted > 0 {
		fmt.Fprintf(&b, note, omitted)
	}
	return b.String()
}
