package js

import "strings"

// placeOf says what stands where the engine saw a mistake, for messages that name it: the function that is called, the
// class that is made, or the name that is read.
func placeOf(src string, line, column int) map[string]any {
	for ; line > 1; line-- {
		n := strings.IndexByte(src, '\n')
		if n < 0 {
			return nil
		}
		src = src[n+1:]
	}
	if n := strings.IndexByte(src, '\n'); n >= 0 {
		src = src[:n]
	}
	if column < 1 || column > len(src) {
		return nil
	}
	s := scan(src)
	for i, t := range s.tokens {
		if t.start < column-1 {
			continue
		}
		switch {
		case s.is(i, "("):
			return map[string]any{"kind": "call", "text": chainBefore(s, i)}
		case s.is(i, "new"):
			return map[string]any{"kind": "new", "text": chainAfter(s, i+1)}
		}
		return map[string]any{"kind": "name", "text": chainAfter(s, i)}
	}
	return nil
}

// chainBefore is the chain of names that ends before token i: what is called there.
func chainBefore(s *source, i int) string {
	from := i
	for from > 0 {
		k, _ := s.kind(from - 1)
		if k != word || operators[s.text(from-1)] {
			break
		}
		from--
		if !s.is(from-1, ".") && !s.is(from-1, "?.") {
			return s.src[s.tokens[from].start:s.tokens[i-1].end]
		}
		from--
		if k, ok := s.kind(from - 1); !ok || k != word {
			return "(intermediate value)" + s.src[s.tokens[from].start:s.tokens[i-1].end]
		}
	}
	return "(intermediate value)"
}

// chainAfter is the chain of names that begins at token i.
func chainAfter(s *source, i int) string {
	k, ok := s.kind(i)
	if !ok || k == punct {
		return "(intermediate value)"
	}
	end := i + 1
	for s.is(end, ".") {
		if k, ok := s.kind(end + 1); !ok || k != word {
			break
		}
		end += 2
	}
	return s.src[s.tokens[i].start:s.tokens[end-1].end]
}
