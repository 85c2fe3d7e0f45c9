package toolwasm

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// CheckNames refuses arguments that a tool does not have. What is not the JSON that is expected is left to the tool,
// which says so.
func (t Tool) CheckNames(arguments []byte) error {
	return checkMembers(t.Name, "", arguments, t.Arguments)
}

func checkMembers(tool, where string, raw []byte, known []Argument) error {
	members, err := membersOf(raw)
	if err != nil {
		return nil
	}
	for _, m := range members {
		i := slices.IndexFunc(known, func(a Argument) bool { return a.Name == m.name })
		if i < 0 {
			return unknownArgument(tool, where, m.name, known)
		}
		var elements []json.RawMessage
		if known[i].Items == nil || json.Unmarshal(m.value, &elements) != nil {
			continue
		}
		for n, e := range elements {
			if err := checkMembers(tool, fmt.Sprintf("%s%s[%d].", where, m.name, n), e, known[i].Items); err != nil {
				return err
			}
		}
	}
	return nil
}

type member struct {
	name  string
	value json.RawMessage
}

// membersOf reads a JSON object, with nothing behind it, in the order of its members.
func membersOf(raw []byte) ([]member, error) {
	if !utf8.Valid(raw) {
		return nil, errors.New("arguments: not valid UTF-8")
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil, errors.New("arguments: a JSON object is expected")
	}
	var members []member
	for dec.More() {
		t, err := dec.Token()
		if err != nil {
			return nil, notJSON("arguments", err)
		}
		m := member{}
		m.name, _ = t.(string)
		if err := dec.Decode(&m.value); err != nil {
			return nil, notJSON(m.name, err)
		}
		members = append(members, m)
	}
	if _, err := dec.Token(); err != nil {
		return nil, notJSON("arguments", err)
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, errors.New("arguments: something follows the JSON object")
	}
	return members, nil
}

func notJSON(what string, err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%s: not valid JSON: it ends too early", what)
	}
	return fmt.Errorf("%s: not valid JSON: %w", what, err)
}

// ExecArguments are the arguments of the exec tool.
type ExecArguments struct {
	Command string
	Title   string
	Workdir string
	Env     map[string]string
	// Timeout is nil when none was given.
	Timeout *time.Duration
}

// Script is what is to be run. Its streams are the caller's to choose.
func (a *ExecArguments) Script() Script {
	script := Script{Text: a.Command, Dir: guestPath(a.Workdir)}
	for name, value := range a.Env {
		script.Env = append(script.Env, name+"="+value)
	}
	slices.Sort(script.Env)
	return script
}

// ParseExec reads the arguments of the exec tool.
func ParseExec(arguments []byte) (*ExecArguments, error) {
	a, err := parseExec(arguments)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrBadArguments, err)
	}
	return a, nil
}

func parseExec(arguments []byte) (*ExecArguments, error) {
	members, err := membersOf(arguments)
	if err != nil {
		return nil, err
	}
	a := &ExecArguments{}
	seen := map[string]bool{}
	for _, m := range members {
		if seen[m.name] {
			return nil, fmt.Errorf("%s: given twice", m.name)
		}
		seen[m.name] = true
		if err := a.set(m); err != nil {
			return nil, err
		}
	}
	if a.Command == "" {
		return nil, errors.New("command: missing")
	}
	return a, a.check()
}

// set reads one member. One that is null is as if it were not there.
func (a *ExecArguments) set(m member) error {
	if kindOf(m.value) == "null" {
		return nil
	}
	seconds := 0.0
	target, wanted := any(nil), "a string"
	switch m.name {
	case "command":
		target = &a.Command
	case "title":
		target = &a.Title
	case "workdir":
		target = &a.Workdir
	case "env":
		target, wanted = &a.Env, "an object of strings"
	case "timeoutSeconds":
		target, wanted = &seconds, "a number"
	}
	if err := json.Unmarshal(m.value, target); err != nil {
		if m.name == "env" && kindOf(m.value) == "an object" {
			return errors.New("env: every value must be a string")
		}
		return fmt.Errorf("%s: %s is expected, not %s", m.name, wanted, kindOf(m.value))
	}
	if m.name != "timeoutSeconds" {
		return nil
	}
	if seconds < 0 || seconds > maxTimeout.Seconds() || math.IsNaN(seconds) {
		return fmt.Errorf("timeoutSeconds: must be between 0 and %.0f, is %s", maxTimeout.Seconds(), m.value)
	}
	timeout := time.Duration(seconds * float64(time.Second))
	a.Timeout = &timeout
	return nil
}

func (a *ExecArguments) check() error {
	for name, text := range map[string]string{"command": a.Command, "workdir": a.Workdir} {
		if strings.ContainsRune(text, 0) {
			return fmt.Errorf("%s: holds a NUL byte", name)
		}
	}
	for name, value := range a.Env {
		switch {
		case name == "" || strings.ContainsAny(name, "=\x00") || name == "PATH":
			return fmt.Errorf("env: %q cannot be set", name)
		case strings.ContainsRune(value, 0):
			return fmt.Errorf("env.%s: holds a NUL byte", name)
		}
	}
	return nil
}

// kindOf names the type of a JSON value.
func kindOf(raw json.RawMessage) string {
	switch raw[0] {
	case '"':
		return "a string"
	case '{':
		return "an object"
	case '[':
		return "an array"
	case 't', 'f':
		return "a boolean"
	case 'n':
		return "null"
	}
	return "a number"
}
