package filetool

import (
	"bytes"
	"fmt"
	"sort"
	"strings"
	"unicode/utf8"

	"openclaw/toolwasm/guest/command"
)

// Limits of the search for what a text that was not found may have meant.
const (
	maxNearest     = 3
	minSimilarity  = 0.45
	maxHint        = 800     // bytes of the whole hint
	maxHintLines   = 8       // lines shown of one candidate
	maxAnchors     = 6       // lines of the text that are looked for
	anchorPlaces   = 4       // places kept for each of them
	maxComparedRow = 240     // bytes of a line that count
	maxWindow      = 60      // lines of the text that count
	maxSteps       = 8 << 20 // bytes looked at, in all
	gramSlots      = 1 << 10
	yieldLines     = 2048
)

// candidate is a place in a file that resembles a text.
type candidate struct {
	line  int // from 0
	score float64
}

// nearest finds the places of a file that resemble a text, best first. Its work is bounded: of a very large file only the
// beginning counts.
func nearest(p *command.Proc, lines []string, wanted []string) []candidate {
	s := similarity{p: p, lines: lines, wanted: wanted[:min(len(wanted), maxWindow)]}
	seen := map[int]bool{}
	var found []candidate
	for _, a := range s.anchors() {
		for _, at := range s.places(a) {
			if start := max(at-a, 0); !seen[start] {
				seen[start] = true
				if score := s.window(start); score >= minSimilarity {
					found = append(found, candidate{start, score})
				}
			}
		}
	}
	sort.SliceStable(found, func(i, j int) bool {
		if found[i].score != found[j].score {
			return found[i].score > found[j].score
		}
		return found[i].line < found[j].line
	})
	return apart(found, len(s.wanted))
}

// apart keeps the best candidates that do not overlap.
func apart(found []candidate, height int) []candidate {
	var kept []candidate
next:
	for _, c := range found {
		for _, k := range kept {
			if abs(c.line-k.line) < height {
				continue next
			}
		}
		if kept = append(kept, c); len(kept) == maxNearest {
			break
		}
	}
	return kept
}

func abs(n int) int { return max(n, -n) }

// similarity compares lines by the pairs of bytes that they share, white space aside.
type similarity struct {
	p      *command.Proc
	lines  []string
	wanted []string
	steps  int
}

// anchors picks the lines of the text that tell the most: the longest ones.
func (s *similarity) anchors() []int {
	var order []int
	for i, w := range s.wanted {
		if strings.TrimSpace(w) != "" {
			order = append(order, i)
		}
	}
	sort.SliceStable(order, func(i, j int) bool { return len(s.wanted[order[i]]) > len(s.wanted[order[j]]) })
	return order[:min(len(order), maxAnchors)]
}

// places finds the lines of the file that resemble line a of the text the most.
func (s *similarity) places(a int) []int {
	g := newGrams(s.wanted[a])
	budget := s.steps + maxSteps/maxAnchors
	var best []candidate
	for i, line := range s.lines {
		if i%yieldLines == 0 {
			s.p.Yield()
		}
		if s.steps += min(len(line), maxComparedRow) + 1; s.steps > budget {
			break
		}
		if score := g.score(line); score >= minSimilarity {
			best = insert(best, candidate{i, score})
		}
	}
	at := make([]int, len(best))
	for i, c := range best {
		at[i] = c.line
	}
	return at
}

// insert keeps the best few candidates in order.
func insert(best []candidate, c candidate) []candidate {
	i := len(best)
	for i > 0 && best[i-1].score < c.score {
		i--
	}
	if i == anchorPlaces {
		return best
	}
	best = append(best, candidate{})
	copy(best[i+1:], best[i:])
	best[i] = c
	return best[:min(len(best), anchorPlaces)]
}

// window scores the lines from start on against the text, long lines counting more.
func (s *similarity) window(start int) float64 {
	var sum, weight float64
	for i, w := range s.wanted {
		n := float64(len(strings.TrimSpace(w)) + 1)
		weight += n
		if start+i < len(s.lines) {
			sum += n * newGrams(w).score(s.lines[start+i])
		}
	}
	if weight == 0 {
		return 0
	}
	return sum / weight
}

// grams counts the pairs of neighbouring bytes in a line, by a small hash.
type grams struct {
	counts [gramSlots]uint8
	total  int
	text   []byte
}

func newGrams(line string) *grams {
	g := &grams{text: squeeze(line)}
	eachGram(g.text, func(slot int) {
		if g.counts[slot] < 255 {
			g.counts[slot]++
			g.total++
		}
	})
	return g
}

// score is the share of pairs that a line has in common with g (Dice's coefficient).
func (g *grams) score(line string) float64 {
	text := squeeze(line)
	if bytes.Equal(text, g.text) {
		return 1
	}
	left := g.counts
	total, common := 0, 0
	eachGram(text, func(slot int) {
		total++
		if left[slot] > 0 {
			left[slot]--
			common++
		}
	})
	if g.total+total == 0 {
		return 0
	}
	return 2 * float64(common) / float64(g.total+total)
}

func eachGram(b []byte, visit func(slot int)) {
	for i := 1; i < len(b); i++ {
		const spread = 131
		visit((int(b[i-1])*spread + int(b[i])) % gramSlots)
	}
}

// squeeze is a line without white space, cut to what counts.
func squeeze(line string) []byte {
	line = line[:min(len(line), maxComparedRow)]
	out := make([]byte, 0, len(line))
	for i := range len(line) {
		if b := line[i]; b != ' ' && b != '\t' && b != '\r' {
			out = append(out, b)
		}
	}
	return out
}

// hint shows what in the file resembles a text that was not found, each place with its line number.
func hint(p *command.Proc, lines []string, wanted []string) string {
	found := nearest(p, lines, wanted)
	if len(found) == 0 {
		return "; nothing in it resembles that text, so read the file again"
	}
	var b strings.Builder
	b.WriteString("; nearest:")
	for i, c := range found {
		room := (maxHint - b.Len()) / (len(found) - i)
		b.WriteString(excerpt(lines, wanted, c, room))
	}
	return b.String()
}

// excerpt shows one candidate in at most room bytes.
func excerpt(lines []string, wanted []string, c candidate, room int) string {
	last := min(c.line+len(wanted), len(lines))
	note := ""
	if sameButSpace(lines[c.line:last], wanted) {
		note = ", where only white space differs"
	}
	out := fmt.Sprintf("\nline %d (%d%% alike%s):", c.line+1, int(c.score*100), note)
	for i := c.line; i < min(last, c.line+maxHintLines); i++ {
		line := strings.TrimSuffix(lines[i], "\r")
		left := room - len(out) - len("\n…")
		if left < len(line)+1 {
			return out + "\n" + cut(line, left-len("…")) + "…"
		}
		out += "\n" + line
	}
	return out
}

// cut shortens a text to at most n bytes of valid UTF-8.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	n = max(n, 0)
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

func sameButSpace(lines []string, wanted []string) bool {
	if len(lines) != len(wanted) {
		return false
	}
	for i, w := range wanted {
		if strings.Join(strings.Fields(lines[i]), "") != strings.Join(strings.Fields(w), "") {
			return false
		}
	}
	return true
}

// hint shows what oldText may have meant.
func (m *matcher) hint(oldText string) string {
	wanted := strings.Split(strings.TrimSuffix(lf(oldText), "\n"), "\n")
	return hint(m.call.p, strings.Split(string(m.plain.text), "\n"), wanted)
}
