package compaction

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
)

// Identifier is a text that means nothing when a character of it is wrong: a path, a hash, an id, an address.
type Identifier struct {
	Text   string `json:"text"`
	Weight int    `json:"weight"` // how much it seems to matter
}

// How much a mention of an identifier says. One that only a tool has written, once, is most likely noise.
const (
	weightResult    = 1
	weightCall      = 2
	weightAssistant = 4
	weightUser      = 8
	maxWeight       = 64
	leastWeight     = 2 // of those that a summary must have
)

// Limits of identifiers.
const (
	maxIdentifiers     = 400 // that are kept for the next compaction
	maxIdentifierBytes = 200
	maxOfOneText       = 64 // from one message; a listing has no end of them
	minHashDigits      = 7
	identifiersShare   = 3 // the section has at most so many tenths of a summary
)

// identifierForm finds candidates; keepsExact tells which of them are identifiers. The forms are tried from the left.
var identifierForm = regexp.MustCompile(strings.Join([]string{
	`[a-z][a-z0-9+.-]*://[^\s<>"'` + "`" + `|\\^{}]+`,                  // addresses
	`[A-Za-z]:\\[\w.\\-]+`,                                             // paths of Windows
	`(?:~|\.{1,2})?(?:/[\w.@+~-]+)+/?`,                                 // paths from a root
	`[\w.@+-]+(?:/[\w.@+-]+)+/?`,                                       // other paths
	`\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?`,                             // addresses of hosts
	`[\w.+-]+@[\w-]+(?:\.[\w-]+)+`,                                     // addresses of mail
	`(?:localhost|[\w-]+(?:\.[\w-]+)+):\d{2,5}`,                        // hosts with a port
	`(?:sha\d+:)?[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}`, // UUIDs
	`[\w-]+(?:\.[\w-]+)*\.(?:` + extensions + `)\b`,                    // names of files
	`v?\d+\.\d+\.\d+(?:[-+][\w.-]+)?`,                                  // versions
	`[A-Za-z0-9]+(?:[_-][A-Za-z0-9]+)+`,                                // ids of parts
	`#\d+`, `[A-Za-z0-9]{` + "6" + `,}`,                                // hashes, numbers
}, "|"))

const extensions = `go|mod|sum|py|js|mjs|ts|tsx|jsx|md|json|jsonl|json5|ya?ml|toml|txt|csv|tsv|sh|sql|sqlite|db|html?|css|xml|ini|cfg|conf|env|lock|log|c|h|cc|cpp|hpp|rs|java|kt|rb|php|swift|wasm|pdf|png|jpe?g|gif|svg|zip|gz|tgz|xz|zst|tar|pem|key|crt|service`

var (
	hexDigits = regexp.MustCompile(`^(?:sha\d+:)?[0-9a-fA-F]+$`)
	digits    = regexp.MustCompile(`^\d{6,}$`)
	ticket    = regexp.MustCompile(`^[A-Z][A-Z0-9]*-\d+$`)
)

// identifiersIn are the identifiers of a text in order, each once.
func identifiersIn(text string) []string {
	var list []string
	seen := map[string]bool{}
	for _, found := range identifierForm.FindAllString(text, -1) {
		found = strings.TrimRight(found, ".,;:!?)]'\"*_-")
		if len(found) > maxIdentifierBytes || seen[found] || !keepsExact(found) {
			continue
		}
		seen[found] = true
		if list = append(list, found); len(list) == maxOfOneText {
			break
		}
	}
	return list
}

// keepsExact tells an identifier from a word that only looks like one.
func keepsExact(s string) bool {
	hasDigit := strings.ContainsAny(s, "0123456789")
	switch {
	case len(s) < 2:
		return false
	case strings.Contains(s, "://"), strings.Contains(s, `:\`), strings.HasPrefix(s, "#"), strings.Contains(s, "@"):
		return true
	case strings.Contains(s, "/"):
		rooted := strings.IndexByte("/~.", s[0]) >= 0
		return rooted && len(s) > 2 || hasDigit && !onlyFraction(s) || strings.ContainsAny(s, "._") || strings.Count(s, "/") > 1
	case hexDigits.MatchString(s):
		return digits.MatchString(s) || len(s) >= minHashDigits && hasDigit && strings.ContainsAny(strings.ToLower(s), "abcdef")
	case ticket.MatchString(s):
		return true
	case strings.ContainsAny(s, ".:"): // of the forms above
		return true
	case strings.ContainsAny(s, "_-"):
		return hasDigit && len(s) >= 5 || strings.Contains(s, "_")
	}
	return hasDigit && len(s) >= 8 && mixed(s)
}

// onlyFraction tells numbers around a slash, such as dates and parts of a whole.
func onlyFraction(s string) bool { return strings.Trim(s, "0123456789/") == "" }

// mixed tells a made-up id, in which digits stand between letters, from a word with a number behind it.
func mixed(s string) bool {
	return strings.ContainsAny(strings.TrimRight(strings.TrimLeft(s, "0123456789"), "0123456789"), "0123456789")
}

// register collects identifiers. Those that were mentioned last are at the end.
type register struct {
	list []Identifier
	at   map[string]int
}

func newRegister(known []Identifier) *register {
	r := &register{at: map[string]int{}}
	for _, id := range known {
		r.mention(id.Text, id.Weight)
	}
	return r
}

// mention notes an identifier. Its place is that of its last mention.
func (r *register) mention(text string, weight int) {
	if i, ok := r.at[text]; ok {
		weight += r.list[i].Weight
		r.list[i].Text = "" // its place is another now
	}
	r.at[text] = len(r.list)
	r.list = append(r.list, Identifier{Text: text, Weight: min(weight, maxWeight)})
}

func (r *register) text(text string, weight int) {
	for _, found := range identifiersIn(text) {
		r.mention(found, weight)
	}
}

func (r *register) items(items []Item) {
	for i := range items {
		it := &items[i]
		weight := weightUser
		switch it.Kind {
		case KindAssistant:
			weight = weightAssistant
		case KindResult, KindCustom:
			weight = weightResult
		}
		r.text(it.Message.Text(), weight)
		for _, call := range it.Message.Calls() {
			r.text(string(call.Arguments), weightCall)
		}
	}
}

// kept are the identifiers that matter most, in the order of their last mention.
func (r *register) kept() []Identifier {
	list := slices.DeleteFunc(slices.Clone(r.list), func(id Identifier) bool { return id.Text == "" })
	if len(list) <= maxIdentifiers {
		return list
	}
	order := byWeight(list)
	least := order[maxIdentifiers-1].Weight
	// Of those that weigh the same the older ones go.
	over := len(list) - maxIdentifiers
	list = slices.DeleteFunc(list, func(id Identifier) bool {
		if over > 0 && id.Weight < least {
			over--
			return true
		}
		return false
	})
	return slices.DeleteFunc(list, func(id Identifier) bool {
		if over > 0 && id.Weight == least {
			over--
			return true
		}
		return false
	})
}

// byWeight has those that matter most in front, and of those that matter the same the newest.
func byWeight(list []Identifier) []Identifier {
	order := slices.Clone(list)
	slices.Reverse(order)
	slices.SortStableFunc(order, func(a, b Identifier) int { return cmp.Compare(b.Weight, a.Weight) })
	return order
}

// missing are the lines that a summary lacks, as many as fit, so that it has every identifier that matters.
func missing(summary string, list []Identifier, room int) []string {
	var lines []string
	for _, id := range byWeight(list) {
		if id.Weight < leastWeight || strings.Contains(summary, id.Text) {
			continue
		}
		line := "- " + id.Text
		if chars(line)+1 > room {
			continue
		}
		room -= chars(line) + 1
		lines = append(lines, line)
	}
	return lines
}
