package tools

import (
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
)

// given is what a call of process gives a command.
type given struct {
	bytes     []byte
	eof       bool // the input ends after it
	interrupt bool // the command is ended
}

// keyCodes are the bytes of keys that have a name. There is no terminal, so that Enter is the end of a line and nothing is echoed.
var keyCodes = map[string]string{
	"enter": "\n", "return": "\n", "tab": "\t", "space": " ", "escape": "\x1b", "esc": "\x1b", "backspace": "\x7f", "bspace": "\x7f",
	"up": "\x1b[A", "down": "\x1b[B", "right": "\x1b[C", "left": "\x1b[D", "home": "\x1b[H", "end": "\x1b[F",
	"insert": "\x1b[2~", "delete": "\x1b[3~", "pageup": "\x1b[5~", "pagedown": "\x1b[6~",
	"f1": "\x1bOP", "f2": "\x1bOQ", "f3": "\x1bOR", "f4": "\x1bOS",
}

// Marks of a bracketed paste.
const (
	pasteBegin = "\x1b[200~"
	pasteEnd   = "\x1b[201~"
)

// input is what the call gives a command.
func (c *processCall) input() (given, error) {
	text := ""
	switch {
	case c.Text != nil:
		text = *c.Text
	case c.Data != nil:
		text = *c.Data
	}
	switch c.Action {
	case actionWrite:
		if text == "" && !c.EOF {
			return given{}, fmt.Errorf("data: missing: %w", errNoInput)
		}
		return given{bytes: []byte(text), eof: c.EOF}, nil
	case actionSubmit:
		return given{bytes: []byte(text + "\n"), eof: c.EOF}, nil
	case actionPaste:
		if text == "" {
			return given{}, fmt.Errorf("text: missing: %w", errNoInput)
		}
		if c.Bracketed {
			text = pasteBegin + text + pasteEnd
		}
		return given{bytes: []byte(text), eof: c.EOF}, nil
	}
	return c.typed()
}

// typed is what send-keys gives: hex, then literal, then the keys.
func (c *processCall) typed() (given, error) {
	if len(c.Hex) == 0 && c.Literal == "" && len(c.Keys) == 0 {
		return given{}, fmt.Errorf("keys, hex or literal: missing: %w", errNoInput)
	}
	g := given{eof: c.EOF}
	for _, h := range c.Hex {
		h = strings.TrimPrefix(strings.ToLower(strings.TrimSpace(h)), "0x")
		if len(h)%2 == 1 {
			h = "0" + h
		}
		b, err := hex.DecodeString(h)
		if err != nil {
			return given{}, fmt.Errorf("hex: %q is not a hexadecimal number", h)
		}
		g.bytes = append(g.bytes, b...)
	}
	g.bytes = append(g.bytes, c.Literal...)
	for _, k := range c.Keys {
		if err := g.press(k); err != nil {
			return given{}, err
		}
	}
	return g, nil
}

// press adds a key by its name. A terminal would make a signal of C-c and the end of the input of C-d, and so does this.
func (g *given) press(key string) error {
	name := strings.ToLower(key)
	if code, ok := keyCodes[name]; ok {
		g.bytes = append(g.bytes, code...)
		return nil
	}
	letter, control := strings.CutPrefix(name, "c-")
	if !control {
		letter, control = strings.CutPrefix(name, "ctrl-")
	}
	if !control {
		letter, control = strings.CutPrefix(name, "^")
	}
	if control && len(letter) == 1 {
		return g.control(letter[0])
	}
	if rest, meta := strings.CutPrefix(name, "m-"); meta && len(rest) == 1 {
		g.bytes = append(g.bytes, '\x1b', key[len(key)-1])
		return nil
	}
	g.bytes = append(g.bytes, key...)
	return nil
}

func (g *given) control(letter byte) error {
	switch {
	case letter == 'c':
		g.interrupt = true
	case letter == 'd':
		g.eof = true
	case letter == 'z' || letter == '\\':
		return errors.New("keys: there is no terminal that could stop a command: C-c ends it")
	case letter >= 'a' && letter <= 'z':
		g.bytes = append(g.bytes, letter-'a'+1)
	case letter == '[':
		g.bytes = append(g.bytes, '\x1b')
	default:
		return fmt.Errorf("keys: there is no key C-%c", letter)
	}
	return nil
}
