package toolwasm

import (
	"fmt"
	"slices"
	"strings"
)

// at is a bound of an argument.
func at(n int64) *int64 { return &n }

// Types of arguments, by their names in JSON Schema.
const (
	typeString  = "string"
	typeInteger = "integer"
	typeNumber  = "number"
	typeBoolean = "boolean"
	typeArray   = "array"
	typeObject  = "object"
)

// Argument describes one member of a tool's JSON object.
type Argument struct {
	Name     string
	Type     string // by its name in JSON Schema
	Required bool
	About    string
	Items    []Argument // of an array of objects: the members of each
	Of       string     // of another array, or of an object with names of the caller's own: the type of what is in it
	Enum     []string   // the words that it can be
	Least    *int64     // of a number
	Most     *int64
}

// Tool describes a tool and its arguments.
type Tool struct {
	Name      string
	About     string
	Arguments []Argument
	Example   string // arguments as JSON
}

// Tools describes every tool, in the order in which they are shown.
func Tools() []Tool {
	path := Argument{Name: "path", Type: typeString, Required: true, About: "the file, relative to the workspace or absolute in the sandbox"}
	return []Tool{
		{
			Name: ToolRead, About: "Show a text file, a page at a time, or an image.",
			Arguments: []Argument{
				path,
				{Name: "offset", Type: typeInteger, Least: at(1), About: "the first line to show, counted from 1"},
				{Name: "limit", Type: typeInteger, Least: at(1), About: "how many lines to show at most"},
				{Name: "cursor", Type: typeInteger, Least: at(0), About: "where to go on in a line that was too long for a page: the number that the answer before gave"},
				{Name: "optional", Type: typeBoolean, About: "a file that is not there is no failure"},
			},
			Example: `{"path": "README.md", "offset": 1, "limit": 20}`,
		},
		{
			Name: ToolWrite, About: "Make a file, with its directories, or replace all that it holds.",
			Arguments: []Argument{
				path,
				{Name: "content", Type: typeString, Required: true, About: "what the file will hold"},
			},
			Example: `{"path": "notes/today.md", "content": "hello\n"}`,
		},
		{
			Name: ToolEdit, About: "Replace pieces of a text file: all of them, or nothing.",
			Arguments: []Argument{
				path,
				{Name: "edits", Type: typeArray, Required: true, About: "the replacements, each of a piece of the file as it is now", Items: []Argument{
					{Name: "oldText", Type: typeString, Required: true, About: "the piece, which must be in the file exactly once"},
					{Name: "newText", Type: typeString, Required: true, About: "what stands there afterwards"},
				}},
			},
			Example: `{"path": "a.txt", "edits": [{"oldText": "one", "newText": "two"}]}`,
		},
		{
			Name: ToolApplyPatch, About: "Apply a patch to files of the workspace: all of it, or nothing.",
			Arguments: []Argument{
				{Name: "input", Type: typeString, Required: true, About: "the patch, from *** Begin Patch to *** End Patch"},
			},
			Example: `{"input": "*** Begin Patch\n*** Add File: a.txt\n+hello\n*** End Patch"}`,
		},
		{
			Name: ToolExec, About: "Run a shell script. That it ends with a status other than 0 is an answer, not a failure of the tool.",
			Arguments: []Argument{
				{Name: "command", Type: typeString, Required: true, About: "the script, in the language of bash"},
				{Name: "title", Type: typeString, About: "what the script is for, in a few words; it changes nothing"},
				{Name: "workdir", Type: typeString, About: "the directory to work in, relative to the workspace or absolute in the sandbox"},
				{Name: "env", Type: typeObject, Of: typeString, About: "variables for the script: names with strings; PATH cannot be set"},
				{Name: "timeoutSeconds", Type: typeNumber, Least: at(0), About: "end the script after so many seconds; the session's own deadline holds in any case"},
			},
			Example: `{"command": "ls -l", "workdir": "docs", "timeoutSeconds": 10}`,
		},
		{
			Name: ToolList, About: "List a directory, a page at a time: names as JSON strings in the order of their bytes, those of directories with a / at the end.",
			Arguments: []Argument{
				{Name: "path", Type: typeString, About: "the directory; the workspace without it"},
				{Name: "limit", Type: typeInteger, Least: at(1), About: "how many names to show at most; 500 without it"},
				{Name: "after", Type: typeString, About: "go on after this name: the one that the answer before gave"},
			},
			Example: `{"path": "docs"}`,
		},
		{
			Name: ToolGrep, About: "Search text files for lines that match a regular expression. What ignore files name, and binary files, are left out.",
			Arguments: []Argument{
				{Name: "pattern", Type: typeString, Required: true, About: "the regular expression, as ripgrep has them"},
				{Name: "path", Type: typeString, About: "the directory or file to search; the workspace without it"},
				{Name: "glob", Type: typeString, About: "only files of such names: *.go, src/**/*.{js,ts}"},
				{Name: "ignoreCase", Type: typeBoolean, About: "letters match in either case"},
				{Name: "literal", Type: typeBoolean, About: "the pattern is a text and no regular expression"},
				{Name: "context", Type: typeInteger, Least: at(0), About: "how many lines around each match to show"},
				{Name: "limit", Type: typeInteger, Least: at(1), About: "how many matches to show at most; 100 without it"},
			},
			Example: `{"pattern": "TODO|FIXME", "glob": "*.md", "context": 1}`,
		},
		{
			Name: ToolFind, About: "Find files and directories by their names. What ignore files name is left out.",
			Arguments: []Argument{
				{Name: "pattern", Type: typeString, Required: true, About: "the name, with *, ?, [a-z], {a,b}, and ** for any directories; with a / at its end only directories"},
				{Name: "path", Type: typeString, About: "where to look; the workspace without it"},
				{Name: "limit", Type: typeInteger, Least: at(1), About: "how many to show at most; 1000 without it"},
			},
			Example: `{"pattern": "*.md"}`,
		},
	}
}

// ToolByName returns the description of a tool.
func ToolByName(name string) (Tool, bool) {
	tools := Tools()
	i := slices.IndexFunc(tools, func(t Tool) bool { return t.Name == name })
	if i < 0 {
		return Tool{}, false
	}
	return tools[i], true
}

// usualNames are what other systems call an argument. A model that knows those is told the name here.
var usualNames = map[string][]string{
	"file":             {"path"},
	"file_path":        {"path"},
	"filePath":         {"path"},
	"filename":         {"path"},
	"text":             {"content"},
	"contents":         {"content"},
	"file_text":        {"content"},
	"old_string":       {"oldText"},
	"oldString":        {"oldText"},
	"old_str":          {"oldText"},
	"old_text":         {"oldText"},
	"new_string":       {"newText"},
	"newString":        {"newText"},
	"new_str":          {"newText"},
	"new_text":         {"newText"},
	"patch":            {"input"},
	"diff":             {"input"},
	"cmd":              {"command"},
	"script":           {"command"},
	"cwd":              {"workdir", "path"},
	"dir":              {"workdir", "path"},
	"directory":        {"workdir", "path"},
	"timeout":          {"timeoutSeconds"},
	"timeout_sec":      {"timeoutSeconds"},
	"timeout_secs":     {"timeoutSeconds"},
	"description":      {"title"},
	"regex":            {"pattern"},
	"query":            {"pattern"},
	"include":          {"glob"},
	"case_insensitive": {"ignoreCase"},
	"ignore_case":      {"ignoreCase"},
	"fixed_strings":    {"literal"},
	"max_results":      {"limit"},
	"max_count":        {"limit"},
	"head_limit":       {"limit"},
}

// notSupported are arguments of exec elsewhere for which there is nothing here.
var notSupported = []string{"background", "yieldMs", "pty", "host", "security", "ask", "node", "elevated"}

// unknownArgument says that a tool takes no argument of a name, and which it takes.
func unknownArgument(tool, where, name string, known []Argument) error {
	if tool == ToolExec && slices.Contains(notSupported, name) {
		return fmt.Errorf("%s%s: not supported by this version; every script runs in the sandbox, in the foreground and without a terminal", where, name)
	}
	var names []string
	hint := ""
	for _, a := range known {
		names = append(names, a.Name)
		if slices.Contains(usualNames[name], a.Name) || strings.EqualFold(a.Name, name) {
			hint = fmt.Sprintf(" (did you mean %s?)", a.Name)
		}
	}
	// A single replacement without its list: the usual mistake with edit.
	for _, a := range known {
		for _, inner := range a.Items {
			if inner.Name == name || slices.Contains(usualNames[name], inner.Name) {
				hint = fmt.Sprintf(" (did you mean %s[0].%s?)", a.Name, inner.Name)
			}
		}
	}
	return fmt.Errorf("%s%s: unknown argument; there are %s%s", where, name, strings.Join(names, ", "), hint)
}
