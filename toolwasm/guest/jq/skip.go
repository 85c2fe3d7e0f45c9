package jq

// skipBlanks returns where the next token begins.
func skipBlanks(b []byte, i int) int {
	for i < len(b) && class[b[i]]&blankByte != 0 {
		i++
	}
	return i
}

// stringEnd finds the closing quote of the string whose text begins at i. A plain string has no escapes and is ASCII without
// control characters.
func stringEnd(b []byte, i int) (end int, plain bool) {
	for i < len(b) && class[b[i]]&plainByte != 0 {
		i++
	}
	if i < len(b) && b[i] == '"' {
		return i, true
	}
	for i < len(b) {
		switch b[i] {
		case '"':
			return i, false
		case '\\':
			if i = escapeEnd(b, i+1); i < 0 {
				return i, false
			}
		default:
			i++
		}
	}
	return incomplete, false
}

// escapeEnd returns where an escape ends, which begins before i.
func escapeEnd(b []byte, i int) int {
	if i == len(b) {
		return incomplete
	}
	switch b[i] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return i + 1
	case 'u':
		const digits = 4
		if len(b)-i <= digits {
			return incomplete
		}
		for _, c := range b[i+1 : i+1+digits] {
			if _, ok := hexDigit(c); !ok {
				return unusual
			}
		}
		return i + 1 + digits
	}
	return unusual
}

// skip checks the value at i and returns where it ends.
func skip(b []byte, i int) int {
	var objects uint64 // the open arrays and objects, a bit for each; the innermost lowest
	depth := 0
	for {
		i = skipBlanks(b, i)
		if i == len(b) {
			return incomplete
		}
		switch c := b[i]; c {
		case '"':
			end, _ := stringEnd(b, i+1)
			if end < 0 {
				return end
			}
			i = end + 1
		case '[', '{':
			if depth == quickDepth {
				return unusual
			}
			depth++
			objects <<= 1
			if c == '{' {
				objects |= 1
			}
			i = skipBlanks(b, i+1)
			if i == len(b) {
				return incomplete
			}
			if b[i] == c+2 { // the closing one: nothing is in it
				break
			}
			if c == '{' {
				if i = skipKey(b, i); i < 0 {
					return i
				}
			}
			continue
		default:
			if i = skipScalar(b, i); i < 0 {
				return i
			}
		}
		var more bool
		if i, more = skipEnds(b, i, &objects, &depth); !more {
			return i
		}
	}
}

// skipEnds goes on behind a value: it returns where the next one begins, if more follows in the arrays and objects that are
// open, or where the outermost of them ends.
func skipEnds(b []byte, i int, objects *uint64, depth *int) (end int, more bool) {
	for *depth > 0 {
		i = skipBlanks(b, i)
		if i == len(b) {
			return incomplete, false
		}
		inObject := *objects&1 != 0
		switch c := b[i]; {
		case c == ',' && inObject:
			i = skipKey(b, skipBlanks(b, i+1))
			return i, i >= 0
		case c == ',':
			return i + 1, true
		case c == '}' && inObject, c == ']' && !inObject:
			*objects >>= 1
			*depth--
			i++
		default:
			return unusual, false
		}
	}
	return i, false
}

// skipKey checks a key with its colon and returns where its value begins.
func skipKey(b []byte, i int) int {
	if i == len(b) {
		return incomplete
	}
	if b[i] != '"' {
		return unusual
	}
	end, _ := stringEnd(b, i+1)
	if end < 0 {
		return end
	}
	i = skipBlanks(b, end+1)
	switch {
	case i == len(b):
		return incomplete
	case b[i] != ':':
		return unusual
	}
	return i + 1
}

// skipScalar checks a number or a word and returns where it ends.
func skipScalar(b []byte, i int) int {
	end := i
	for end < len(b) && class[b[end]]&tokenByte != 0 {
		end++
	}
	if end == len(b) {
		return incomplete
	}
	switch token := b[i:end]; string(token) {
	case "null", "true", "false":
		return end
	default:
		if !isNumber(token) {
			return unusual
		}
		return end
	}
}

// isNumber recognises numbers as RFC 8259 has them.
func isNumber(b []byte) bool {
	i := 0
	if len(b) > 0 && b[0] == '-' {
		i++
	}
	whole := countDigits(b[i:])
	if whole == 0 || whole > 1 && b[i] == '0' {
		return false
	}
	i += whole
	if i < len(b) && b[i] == '.' {
		frac := countDigits(b[i+1:])
		if frac == 0 {
			return false
		}
		i += 1 + frac
	}
	if i < len(b) && b[i]|0x20 == 'e' {
		i++
		if i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		exp := countDigits(b[i:])
		if exp == 0 {
			return false
		}
		i += exp
	}
	return i == len(b)
}

func countDigits(b []byte) int {
	n := 0
	for n < len(b) && isDigit(b[n]) {
		n++
	}
	return n
}
