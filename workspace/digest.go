package workspace

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
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

// ruleWords are words by which a line demands something. An apostrophe is a part of a word.
var ruleWords = wordSet(`must mustn't never always require required requires don't cannot can't won't should shouldn't shall only avoid forbidden
	prohibit prohibited important critical warning caution danger dangerous security secret secrets password passwords credential credentials token tokens
	privacy private confidential permission approve approval confirm ask policy policies rule rules test tests commit commits push merge deploy release
	delete destructive backup`)

// rulePhrases are what demands something in more than one word, or in a language that does not separate them.
var rulePhrases = strings.Fields(`必须 不得 禁止 不要 切勿 务必 严禁 绝不 应当 应该 安全 密钥 密码 机密 隐私 测试 提交 部署 删除 确认 批准`)

func wordSet(list string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(list) {
		set[w] = true
	}
	return set
}

// demands tells whether a line says that something must or must not be.
func demands(line string) bool {
	line = strings.ToLower(strings.ReplaceAll(line, "’", "'"))
	before := ""
	for word := range strings.FieldsFuncSeq(line, func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' }) {
		word = strings.Trim(word, "'")
		if ruleWords[word] || word == "not" && before == "do" {
			return true
		}
		before = word
	}
	return slices.ContainsFunc(rulePhrases, func(p string) bool { return strings.Contains(line, p) })
}

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
		high, listed := demands(line), item().MatchString(line)
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
