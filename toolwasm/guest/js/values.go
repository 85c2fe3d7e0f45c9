package js

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/dop251/goja"
)

// valueBindings tell the library what values are that look alike from inside.
func (e *engine) valueBindings() map[string]any {
	return map[string]any{
		"className":    func(v goja.Value) string { return v.(*goja.Object).ClassName() },
		"proxyTarget":  proxyTarget,
		"promiseState": e.promiseState,
		"jsonMistake":  func(text string) string { return jsonMistake(text) },
		"placeOf":      placeOf,
		"indentJSON":   indentJSON,
	}
}

// proxyTarget returns what a proxy stands for, or undefined when the value is none.
func proxyTarget(v goja.Value) goja.Value {
	o, ok := v.(*goja.Object)
	if !ok {
		return goja.Undefined()
	}
	if o.ExportType() != reflect.TypeFor[goja.Proxy]() {
		return goja.Undefined()
	}
	p, ok := o.Export().(goja.Proxy)
	if !ok || p.Target() == nil {
		return goja.Undefined()
	}
	return p.Target()
}

func (e *engine) promiseState(v goja.Value) goja.Value {
	o, ok := v.(*goja.Object)
	if !ok || o.ExportType() != reflect.TypeFor[*goja.Promise]() {
		return goja.Null()
	}
	p, ok := o.Export().(*goja.Promise)
	if !ok {
		return goja.Null()
	}
	result := p.Result()
	if result == nil {
		result = goja.Undefined()
	}
	return e.vm.NewArray(int(p.State()), result)
}

// indentJSON lays out a JSON text that has no blanks.
func indentJSON(text, gap string) string {
	var b strings.Builder
	line := "\n"
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			end := i + 1
			for text[end] != '"' {
				if text[end] == '\\' {
					end++
				}
				end++
			}
			b.WriteString(text[i : end+1])
			i = end
		case (c == '{' || c == '[') && (text[i+1] == '}' || text[i+1] == ']'):
			b.WriteString(text[i : i+2])
			i++
		case c == '{' || c == '[':
			line += gap
			b.WriteByte(c)
			b.WriteString(line)
		case c == '}' || c == ']':
			line = line[:len(line)-len(gap)]
			b.WriteString(line)
			b.WriteByte(c)
		case c == ',':
			b.WriteByte(c)
			b.WriteString(line)
		case c == ':':
			b.WriteString(": ")
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// jsonMistake says in node's words what is wrong with a text that is not JSON.
func jsonMistake(text string) string {
	if strings.TrimLeft(text, " \t\r\n") == "" {
		return "Unexpected end of JSON input"
	}
	dec := json.NewDecoder(strings.NewReader(text))
	var v json.RawMessage
	err := dec.Decode(&v)
	var offset int
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax):
		offset = int(syntax.Offset) - 1
	case err != nil:
		return truncated(text)
	default:
		if strings.HasPrefix(strings.TrimLeft(text, " \t\r\n-"), "0") {
			return fmt.Sprintf("Unexpected number in JSON at position %d", dec.InputOffset())
		}
		offset = int(dec.InputOffset())
		offset += len(text[offset:]) - len(strings.TrimLeft(text[offset:], " \t\r\n"))
		return fmt.Sprintf("Unexpected non-whitespace character after JSON at position %d", offset)
	}
	if offset >= len(text) {
		return truncated(text)
	}
	return unexpected(text, offset)
}

// truncated says what is missing where a text ends too early.
func truncated(text string) string {
	before := strings.TrimRight(text, " \t\r\n")
	at := len(text)
	switch {
	case insideString(text):
		return fmt.Sprintf("Unterminated string in JSON at position %d", at)
	case strings.HasSuffix(before, "{"):
		return fmt.Sprintf("Expected property name or '}' in JSON at position %d", at)
	case strings.HasSuffix(before, "[") || strings.HasSuffix(before, ":"):
		return "Unexpected end of JSON input"
	}
	switch open, key := openBracket(before); {
	case open == '{' && strings.HasSuffix(before, ","):
		return fmt.Sprintf("Expected double-quoted property name in JSON at position %d", at)
	case open == '{' && key:
		return fmt.Sprintf("Expected ':' after property name in JSON at position %d", at)
	case open == '{':
		return fmt.Sprintf("Expected ',' or '}' after property value in JSON at position %d", at)
	case open == '[' && !strings.HasSuffix(before, ","):
		return fmt.Sprintf("Expected ',' or ']' after array element in JSON at position %d", at)
	}
	return "Unexpected end of JSON input"
}

// unexpected says what is wrong with the character at offset.
func unexpected(text string, offset int) string {
	before := strings.TrimRight(text[:offset], " \t\r\n")
	open, key := openBracket(before)
	c := text[offset]
	switch {
	case insideWord(before) && !insideString(text[:offset]):
		return fmt.Sprintf("Unexpected token '%c', %s is not valid JSON", []rune(text[offset:])[0], excerpt(text, offset))
	case insideString(text[:offset]):
		if c < ' ' {
			return fmt.Sprintf("Bad control character in string literal in JSON at position %d", offset)
		}
		return fmt.Sprintf("Bad escaped character in JSON at position %d", offset)
	case strings.HasSuffix(before, "{"):
		return fmt.Sprintf("Expected property name or '}' in JSON at position %d", offset)
	case open == '{' && strings.HasSuffix(before, ","):
		return fmt.Sprintf("Expected double-quoted property name in JSON at position %d", offset)
	case open == '{' && key:
		return fmt.Sprintf("Expected ':' after property name in JSON at position %d", offset)
	case open == '{' && !strings.HasSuffix(before, ":"):
		return fmt.Sprintf("Expected ',' or '}' after property value in JSON at position %d", offset)
	case open == '[' && !strings.HasSuffix(before, ",") && !strings.HasSuffix(before, "["):
		return fmt.Sprintf("Expected ',' or ']' after array element in JSON at position %d", offset)
	}
	if c >= '0' && c <= '9' || c == '-' {
		return fmt.Sprintf("Unexpected number in JSON at position %d", offset)
	}
	if c == '"' {
		return fmt.Sprintf("Unexpected string in JSON at position %d", offset)
	}
	r := []rune(text[offset:])[0]
	return fmt.Sprintf("Unexpected token '%c', %s is not valid JSON", r, excerpt(text, offset))
}

// excerpt quotes what stands around a mistake.
func excerpt(text string, offset int) string {
	const around = 10
	from, to := max(offset-around, 0), min(offset+around, len(text))
	if len(text) <= 4*around {
		return `"` + text + `"`
	}
	q := `"` + text[from:to] + `"`
	if from > 0 {
		q = "..." + q
	}
	if to < len(text) {
		q += "..."
	}
	return q
}

// insideWord reports whether true, false or null has begun and not ended.
func insideWord(text string) bool {
	word := text[strings.LastIndexFunc(text, func(r rune) bool { return r < 'a' || r > 'z' })+1:]
	return word != "" && word != "true" && word != "false" && word != "null"
}

func insideString(text string) bool {
	in := false
	for i := 0; i < len(text); i++ {
		switch {
		case in && text[i] == '\\':
			i++
		case text[i] == '"':
			in = !in
		}
	}
	return in
}

// openBracket returns the innermost bracket that a correct beginning of a JSON text leaves open, and whether a property's
// name without its value stands at the end.
func openBracket(text string) (open byte, key bool) {
	var stack []byte
	value := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '"':
			end := i + 1
			for end < len(text) && text[end] != '"' {
				if text[end] == '\\' {
					end++
				}
				end++
			}
			i = end
			key = len(stack) > 0 && stack[len(stack)-1] == '{' && !value
		case '{', '[':
			stack = append(stack, c)
			value, key = false, false
		case '}', ']':
			if len(stack) > 0 {
				stack = stack[:len(stack)-1]
			}
			value, key = true, false
		case ':':
			value, key = true, false
		case ',':
			value, key = false, false
		}
	}
	if len(stack) == 0 {
		return 0, false
	}
	return stack[len(stack)-1], key
}
