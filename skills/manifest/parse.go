package manifest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/BurntSushi/toml"

	"openclaw/skills/capability"
)

// document is a manifest as it is written.
type document struct {
	Name         string         `toml:"name"`
	Version      string         `toml:"version"`
	Description  string         `toml:"description"`
	License      string         `toml:"license"`
	Homepage     string         `toml:"homepage"`
	Assets       []string       `toml:"assets"`
	Program      program        `toml:"program"`
	Tools        []tool         `toml:"tools"`
	Commands     []commandEntry `toml:"commands"`
	Capabilities capabilities   `toml:"capabilities"`
	Limits       limits         `toml:"limits"`
}

type program struct {
	Runtime  string `toml:"runtime"`
	Script   string `toml:"script"`
	Module   string `toml:"module"`
	Language string `toml:"language"`
}

type tool struct {
	Name        string   `toml:"name"`
	Description string   `toml:"description"`
	Parameters  string   `toml:"parameters"`
	Result      string   `toml:"result"`
	Args        []string `toml:"args"`
}

type commandEntry struct {
	Name string   `toml:"name"`
	Args []string `toml:"args"`
}

type capabilities struct {
	Workspace string           `toml:"workspace"`
	Paths     []string         `toml:"paths"`
	Env       []string         `toml:"env"`
	Spawn     []string         `toml:"spawn"`
	Time      bool             `toml:"time"`
	Random    bool             `toml:"random"`
	Memory    string           `toml:"memory"`
	Disk      string           `toml:"disk"`
	Fuel      int64            `toml:"fuel"`
	Net       []map[string]any `toml:"net"`
	Secrets   []map[string]any `toml:"secrets"`
}

type limits struct {
	Timeout string `toml:"timeout"`
	Output  string `toml:"output"`
}

// known are the keys of each table. The decoder would take them in any case of letters.
var known = map[string][]string{
	"":             {"name", "version", "description", "license", "homepage", "assets", "program", "tools", "commands", "capabilities", "limits"},
	"program":      {"runtime", "script", "module", "language"},
	"tools":        {"name", "description", "parameters", "result", "args"},
	"commands":     {"name", "args"},
	"capabilities": {"workspace", "paths", "env", "spawn", "time", "random", "memory", "disk", "fuel", "net", "secrets"},
	"limits":       {"timeout", "output"},
	// Their places are kept; using them is refused.
	"capabilities.net":     {"origin", "methods", "path"},
	"capabilities.secrets": {"name", "header", "origin"},
}

// What a skill may use when it does not say.
const (
	DefaultMemory  = 64 << 20
	DefaultDisk    = 16 << 20
	DefaultFuel    = 1_000_000_000_000
	DefaultTimeout = 30 * time.Second
	DefaultOutput  = 1 << 20
)

// What a skill may ask for.
const (
	MinMemory  = 1 << 20
	MaxMemory  = 2 << 30
	MaxDisk    = 16 << 30
	MaxTimeout = time.Hour
	MaxOutput  = 16 << 20
)

// Bounds of the text, so that no parser sees what it might take long for.
const (
	maxNesting = 8     // brackets open at once, in values
	maxLines   = 4_000 // of the text
	maxLine    = 8_192 // bytes of a line
)

// Parse reads a manifest.
func Parse(text []byte) (*Manifest, error) {
	if err := tame(text); err != nil {
		return nil, err
	}
	r := &reader{places: locate(string(text))}
	meta, err := decode(string(text), &r.doc)
	if err != nil {
		return nil, err
	}
	r.checkKeys(meta)
	if len(r.mistakes) == 0 {
		r.read(meta)
	}
	if len(r.mistakes) > 0 {
		slices.SortStableFunc(r.mistakes, func(a, b Mistake) int { return a.Line - b.Line })
		return nil, &Error{r.mistakes[:min(len(r.mistakes), maxMistakes)]}
	}
	return &r.out, nil
}

// tame refuses a text that is larger, or deeper, than any manifest.
func tame(text []byte) error {
	switch {
	case len(text) > MaxSize:
		return &Error{[]Mistake{{Reason: fmt.Sprintf("it has %d bytes, more than %d", len(text), MaxSize)}}}
	case !utf8.Valid(text):
		return &Error{[]Mistake{{Reason: "it is not valid UTF-8"}}}
	}
	n := 0
	for line := range strings.Lines(string(text)) {
		n++
		if n > maxLines || len(line) > maxLine {
			return &Error{[]Mistake{{Line: n, Reason: fmt.Sprintf("it has more than %d lines, or a line of more than %d bytes", maxLines, maxLine)}}}
		}
		open := 0
		for _, c := range line {
			switch c {
			case '[', '{':
				open++
			case ']', '}':
				open = max(0, open-1)
			}
			if open > 4*maxNesting { // schemas are JSON in a text, which may be written in one line
				return &Error{[]Mistake{{Line: n, Reason: "brackets are nested too deeply"}}}
			}
		}
	}
	return nil
}

// decode reads the text. What the decoder cannot cope with is the text's mistake.
func decode(text string, into *document) (meta toml.MetaData, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &Error{[]Mistake{{Reason: fmt.Sprintf("it cannot be read: %v", p)}}}
		}
	}()
	meta, err = toml.Decode(text, into)
	if err == nil {
		return meta, nil
	}
	m := Mistake{Reason: strings.TrimPrefix(err.Error(), "toml: ")}
	var syntax toml.ParseError
	if errors.As(err, &syntax) {
		m = Mistake{Line: syntax.Position.Line, Key: syntax.LastKey, Reason: syntax.Message}
		if m.Reason == "" {
			m.Reason = strings.TrimPrefix(syntax.Error(), "toml: ")
		}
	}
	return meta, &Error{[]Mistake{m}}
}

// reader turns a document into a manifest and collects what is wrong.
type reader struct {
	doc      document
	out      Manifest
	places   *places
	mistakes []Mistake
}

// wrong notes a mistake at a key: the nth of its name, when it is in one of several tables.
func (r *reader) wrong(nth int, key, format string, args ...any) {
	r.mistakes = append(r.mistakes, Mistake{Line: r.places.line(key, nth), Key: key, Reason: fmt.Sprintf(format, args...)})
}

// checkKeys refuses keys that nobody knows.
func (r *reader) checkKeys(meta toml.MetaData) {
	told := map[string]bool{}
	for _, key := range meta.Keys() {
		table := ""
		for _, name := range key {
			names, ok := known[table]
			if !ok {
				break // in a value
			}
			at := strings.TrimPrefix(table+"."+name, ".")
			if !slices.Contains(names, name) {
				if !told[at] {
					r.unknown(at, nearest(name, names))
				}
				told[at] = true
				break
			}
			table = at
		}
	}
}

func (r *reader) unknown(key, near string) {
	if near != "" {
		r.wrong(0, key, "unknown key: did you mean %s?", near)
		return
	}
	r.wrong(0, key, "unknown key")
}

// read checks every value.
func (r *reader) read(meta toml.MetaData) {
	d, m := &r.doc, &r.out
	m.Name, m.Version, m.Description, m.License, m.Homepage = d.Name, d.Version, d.Description, d.License, d.Homepage
	r.checkHead()
	r.readAssets()
	r.readProgram()
	r.readTools()
	r.readCommands()
	r.readCapabilities(meta)
	if len(m.Tools) == 0 && len(m.Commands) == 0 {
		r.wrong(0, "", "it offers neither a tool nor a command")
	}
}

func (r *reader) checkHead() {
	m := &r.out
	if !skillName.MatchString(m.Name) || len(m.Name) > MaxName {
		r.wrong(0, "name", "%q is not a name: want at most %d letters, digits and single hyphens, in lower case", m.Name, MaxName)
	}
	if !semver.MatchString(m.Version) || len(m.Version) > MaxVersion {
		r.wrong(0, "version", "%q is not a version such as 1.2.3", m.Version)
	}
	r.checkText(0, "description", m.Description, true)
	r.checkText(0, "license", m.License, false)
	r.checkText(0, "homepage", m.Homepage, false)
}

// checkText bounds a text that people and models read.
func (r *reader) checkText(nth int, key, text string, required bool) {
	switch {
	case required && strings.TrimSpace(text) == "":
		r.wrong(nth, key, "missing")
	case utf8.RuneCountInString(text) > MaxDescription:
		r.wrong(nth, key, "more than %d characters", MaxDescription)
	case hasControl(text):
		r.wrong(nth, key, "it has control characters")
	}
}

func (r *reader) readAssets() {
	if len(r.doc.Assets) > MaxAssets {
		r.wrong(0, "assets", "%d entries, more than %d", len(r.doc.Assets), MaxAssets)
		return
	}
	for _, p := range r.doc.Assets {
		if err := CheckPath(p); err != nil {
			r.wrong(0, "assets", "%q: %v", p, err)
		}
	}
	r.out.Assets = r.doc.Assets
}

func (r *reader) readProgram() {
	p, m := r.doc.Program, &r.out
	m.Runtime, m.Script, m.Module, m.Language = Runtime(p.Runtime), p.Script, p.Module, p.Language
	switch m.Runtime {
	case "", Wasm:
		m.Runtime = Wasm
		if m.Module == "" {
			m.Module = m.Name + ".wasm"
		}
		if m.Script != "" {
			r.wrong(0, "program.script", "only shell and js have a script")
		}
		r.checkLocal("program.module", m.Module)
		if m.Language != "" && m.Language != "go" && m.Language != "c" {
			r.wrong(0, "program.language", "%q: want go or c", m.Language)
		}
	case Shell, JS:
		if m.Module != "" {
			r.wrong(0, "program.module", "a %s skill is packed with a launcher", m.Runtime)
		}
		if m.Language != "" {
			r.wrong(0, "program.language", "a %s skill is not built", m.Runtime)
		}
		if m.Script == "" {
			r.wrong(0, "program.script", "missing")
			return
		}
		r.checkLocal("program.script", m.Script)
		if !slices.ContainsFunc(m.Assets, func(a string) bool { return a == m.Script || strings.HasPrefix(m.Script, a+"/") }) {
			r.wrong(0, "program.script", "%s is not among the assets", m.Script)
		}
	default:
		r.wrong(0, "program.runtime", "%q: want wasm, shell or js", p.Runtime)
	}
}

func (r *reader) checkLocal(key, p string) {
	if err := CheckPath(p); err != nil {
		r.wrong(0, key, "%q: %v", p, err)
	}
}

func (r *reader) readTools() {
	if len(r.doc.Tools) > MaxTools {
		r.wrong(0, "tools", "%d, more than %d", len(r.doc.Tools), MaxTools)
		return
	}
	r.out.Tools = make([]Tool, 0, len(r.doc.Tools))
	seen := map[string]bool{}
	for i, t := range r.doc.Tools {
		out := Tool{Name: t.Name, Description: t.Description, Args: t.Args}
		switch {
		case !toolName.MatchString(t.Name):
			r.wrong(i, "tools.name", "%q is not a name: want letters in lower case, digits and underscores", t.Name)
		case len(r.out.ToolName(out)) > MaxToolName:
			r.wrong(i, "tools.name", "with the skill's name, %s is longer than %d", r.out.ToolName(out), MaxToolName)
		case seen[t.Name]:
			r.wrong(i, "tools.name", "%s: there are two", t.Name)
		}
		seen[t.Name] = true
		r.checkText(i, "tools.description", t.Description, true)
		r.checkArgs(i, "tools.args", t.Args)
		var err error
		if out.Parameters, err = readSchema(t.Parameters); err != nil {
			r.wrong(i, "tools.parameters", "%v", err)
		}
		if t.Result != "" {
			if out.Result, err = readSchema(t.Result); err != nil {
				r.wrong(i, "tools.result", "%v", err)
			}
		}
		r.out.Tools = append(r.out.Tools, out)
	}
}

func (r *reader) checkArgs(nth int, key string, args []string) {
	if len(args) > MaxArgs {
		r.wrong(nth, key, "%d, more than %d", len(args), MaxArgs)
	}
	for _, a := range args {
		if len(a) > MaxArg || strings.IndexByte(a, 0) >= 0 {
			r.wrong(nth, key, "an argument has more than %d bytes, or a NUL", MaxArg)
			return
		}
	}
}

func (r *reader) readCommands() {
	if len(r.doc.Commands) > MaxCommands {
		r.wrong(0, "commands", "%d, more than %d", len(r.doc.Commands), MaxCommands)
		return
	}
	r.out.Commands = make([]Command, 0, len(r.doc.Commands))
	seen := map[string]bool{}
	for i, c := range r.doc.Commands {
		switch {
		case !commandName.MatchString(c.Name):
			r.wrong(i, "commands.name", "%q is not the name of a command", c.Name)
		case seen[c.Name]:
			r.wrong(i, "commands.name", "%s: there are two", c.Name)
		}
		seen[c.Name] = true
		r.checkArgs(i, "commands.args", c.Args)
		r.out.Commands = append(r.out.Commands, Command(c))
	}
}

// requests are what a skill asks for that says nothing.
func requests() capability.Set {
	return capability.Set{Memory: DefaultMemory, Disk: DefaultDisk, Fuel: DefaultFuel, Timeout: DefaultTimeout, Output: DefaultOutput}
}
