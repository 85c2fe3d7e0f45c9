package manifest

import "strings"

// places are the lines at which keys stand. They are for messages only: what is not found has no line.
type places struct{ lines map[string][]int }

// line is where the nth key of a name stands, or else the nth table that it would be in.
func (p *places) line(key string, nth int) int {
	for key != "" {
		if list := p.lines[key]; nth < len(list) {
			return list[nth]
		} else if len(list) == 1 {
			return list[0]
		}
		i := strings.LastIndexByte(key, '.')
		if i < 0 {
			break
		}
		key = key[:i]
	}
	return 0
}

// locate finds the keys of a text that is TOML, in the ways in which people write it.
func locate(text string) *places {
	p := &places{map[string][]int{}}
	table, until, n := "", "", 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimSpace(line)
		if until != "" { // in a text of several lines
			if strings.Contains(line, until) {
				until = ""
			}
			continue
		}
		switch {
		case strings.HasPrefix(line, "["):
			table = plainKey(strings.Trim(cutComment(line), "[] \t"))
			p.lines[table] = append(p.lines[table], n)
		case !strings.HasPrefix(line, "#"):
			key, value, ok := strings.Cut(line, "=")
			if !ok {
				continue
			}
			if key = plainKey(key); table != "" {
				key = table + "." + key
			}
			for at := key; ; { // a dotted key stands for its tables, too
				p.lines[at] = append(p.lines[at], n)
				i := strings.LastIndexByte(at, '.')
				if i < 0 || at[:i] == table || strings.HasPrefix(table, at[:i]+".") {
					break
				}
				at = at[:i]
			}
			until = opened(strings.TrimSpace(value))
		}
	}
	return p
}

func cutComment(line string) string {
	line, _, _ = strings.Cut(line, "#")
	return strings.TrimSpace(line)
}

func plainKey(key string) string {
	return strings.NewReplacer(" ", "", "\t", "", `"`, "", "'", "").Replace(key)
}

// opened is what ends a text that begins in a value and does not end there.
func opened(value string) string {
	for _, quotes := range []string{`"""`, "'''"} {
		if rest, ok := strings.CutPrefix(value, quotes); ok && !strings.Contains(rest, quotes) {
			return quotes
		}
	}
	return ""
}
