package config

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"openclaw/runtime/config/json5"
)

// Errors of Change that callers tell apart. The text of each is the cause in a longer message.
var (
	ErrNotSet   = json5.ErrNotFound
	ErrIncluded = errors.New("is set in an included file")
	ErrReadOnly = errors.New("the configuration is read-only: " + EnvReadOnly + " is set")
	ErrDrops    = errors.New("would lose what is there")
	ErrChanged  = errors.New("the file was changed by someone else meanwhile: nothing was written")
)

// Edit is one change of the configuration.
type Edit struct {
	Path   json5.Path
	Value  *json5.Node // nil removes what is at the path
	Merge  bool        // put the keys of an object beside those that are there
	Drop   bool        // an object with keys of the user's own may lose some of them
	DryRun bool        // check everything, write nothing
}

// Outcome is what Change did.
type Outcome struct {
	File    string
	Changed bool // false when the text already says so
	Backup  string
	// Remaining are mistakes that the file had before and still has.
	Remaining []Problem
	// StillSet names the file that sets the removed key, too.
	StillSet string
}

// Change edits the configuration file in place and keeps everything outside the edited value. The result is validated first:
// an edit that would make a mistake is refused with an *InvalidError, and nothing is written. A file that has mistakes already
// may be edited only by what removes some of them and adds none.
func Change(ctx context.Context, o Options, e Edit) (*Outcome, error) {
	location, err := Locate(o)
	if err != nil {
		return nil, err
	}
	if v := o.env(EnvReadOnly); v != "" && v != "0" {
		return nil, fmt.Errorf("config: write %s: %w", location.File, ErrReadOnly)
	}
	if e.DryRun {
		return change(o, location, e, nil)
	}
	if err := os.MkdirAll(filepath.Dir(location.File), 0o700); err != nil {
		return nil, fmt.Errorf("config: write %s: %w", location.File, cause(err))
	}
	unlock, err := lockDirectory(ctx, filepath.Dir(location.File))
	if err != nil {
		return nil, fmt.Errorf("config: write %s: %w", location.File, err)
	}
	defer unlock()
	return change(o, location, e, newStore())
}

// change does the work under the lock; without a store nothing is written.
func change(o Options, location Location, e Edit, out *store) (*Outcome, error) {
	file := location.File
	before, err := readFile(file)
	if err != nil {
		return nil, fmt.Errorf("config: read %s: %w", file, err)
	}
	oldText := string(before)
	if before == nil {
		oldText = "{\n}\n"
	}
	old, err := json5.Parse(file, oldText)
	if err != nil {
		return nil, syntaxError(o, location, before)
	}
	if err := notIncluded(location, old, e.Path); err != nil {
		return nil, err
	}
	text, err := e.apply(old)
	if err == nil {
		err = e.keepsKeys(old.Root)
	}
	if err != nil {
		return nil, fmt.Errorf("config: edit %s: %w", file, err)
	}
	outcome := &Outcome{File: file}
	if before != nil && text == oldText {
		return outcome, nil
	}
	if err := outcome.judge(o, location, before, text); err != nil {
		return nil, err
	}
	if err := outcome.compare(location, e, text); err != nil {
		return nil, err
	}
	outcome.Changed = true
	if out == nil {
		return outcome, nil
	}
	if outcome.Backup, err = out.replace(file, before, []byte(text)); err != nil {
		return nil, fmt.Errorf("config: write %s: %w", file, err)
	}
	return outcome, nil
}

func (e Edit) apply(doc *json5.Document) (string, error) {
	switch {
	case e.Value == nil:
		text, err := json5.Unset(doc, e.Path)
		return text, e.cause(err)
	case e.Merge:
		return e.merge(doc)
	}
	text, err := json5.Set(doc, e.Path, e.Value)
	return text, e.cause(err)
}

// merge sets each key of the value by itself, so that comments between the keys that are there stay.
func (e Edit) merge(doc *json5.Document) (string, error) {
	there := doc.Root.At(e.Path)
	if e.Value.Kind != json5.Object || there == nil || there.Kind != json5.Object {
		text, err := json5.Set(doc, e.Path, e.Value)
		return text, e.cause(err)
	}
	for _, m := range e.Value.Members {
		part := Edit{Path: e.Path.Join(json5.Key(m.Name)), Value: m.Value, Merge: true}
		text, err := part.apply(doc)
		if err != nil {
			return "", err
		}
		if doc, err = json5.Parse(doc.Name, text); err != nil {
			return "", err
		}
	}
	return doc.Text, nil
}

// cause is an editor's error as a part of a longer message.
func (e Edit) cause(err error) error {
	var edit *json5.EditError
	switch {
	case errors.Is(err, ErrNotSet):
		return fmt.Errorf("%v %w", e.Path, ErrNotSet)
	case errors.As(err, &edit):
		return fmt.Errorf("%v: %w", edit.Path, edit.Cause)
	}
	return err
}

// keepsKeys refuses to lose agents and the like by setting the object that holds them.
func (e Edit) keepsKeys(root *json5.Node) error {
	there := root.At(e.Path)
	if e.Value == nil || e.Merge || e.Drop || there == nil {
		return nil
	}
	if key, _ := KeyAt(e.Path); !key.Open {
		return nil
	}
	for _, m := range there.Members {
		if e.Value.Get(m.Name) == nil {
			return fmt.Errorf("%v %w: the key %s (merge, replace or remove it)", e.Path, ErrDrops, json5.Quote(m.Name))
		}
	}
	return nil
}

// syntaxError is what Load says about a text that cannot be read.
func syntaxError(o Options, location Location, data []byte) error {
	_, err := parseConfig(o, location, newProblems(), data, false)
	return err
}

// judge refuses a text that has mistakes, unless they are some of those that were there before.
func (outcome *Outcome) judge(o Options, location Location, before []byte, text string) error {
	_, err := parseConfig(o, location, newProblems(), []byte(text), false)
	var now *InvalidError
	if err == nil || !errors.As(err, &now) {
		return err
	}
	known := map[[2]string]bool{}
	var was *InvalidError
	if _, err := parseConfig(o, location, newProblems(), before, false); errors.As(err, &was) {
		for _, p := range was.Problems {
			known[[2]string{p.Path, p.Message}] = true
		}
	}
	fewer := was != nil && len(now.Problems)+now.More < len(was.Problems)+was.More
	for _, p := range now.Problems {
		fewer = fewer && known[[2]string{p.Path, p.Message}]
	}
	if !fewer {
		now.Refused = true
		return now
	}
	outcome.Remaining = now.Problems
	return nil
}

// compare holds the edited tree against what was asked for: an included file may set the same key.
func (outcome *Outcome) compare(location Location, e Edit, text string) error {
	root, err := resolveText(location, text)
	if err != nil {
		return err
	}
	n := root.At(e.Path)
	if e.Value == nil {
		if n != nil {
			outcome.StillSet = n.Doc.Name
		}
		return nil
	}
	for _, step := range e.Path {
		if step.Name() == includeKey {
			return nil
		}
	}
	if !e.Merge && !e.Value.Equal(n) {
		return fmt.Errorf("config: edit %s: %v %w as well, and would be merged with it", location.File, e.Path, ErrIncluded)
	}
	return nil
}

// notIncluded refuses to edit a value that another file sets.
func notIncluded(location Location, doc *json5.Document, path json5.Path) error {
	if doc.Root.At(path) != nil {
		return nil
	}
	root, err := resolveText(location, doc.Text)
	if err != nil {
		return nil // the mistake is found when the result is validated
	}
	if n := root.At(path); n != nil {
		return fmt.Errorf("config: edit %s: %v %w: edit %s", location.File, path, ErrIncluded, n.Doc.Name)
	}
	return nil
}

// resolveText is the tree of a text with its $includes.
func resolveText(location Location, text string) (*json5.Node, error) {
	p := newProblems()
	s := &source{problems: p, file: location.File, roots: append([]string{filepath.Dir(location.File)}, location.IncludeRoots...)}
	doc := s.parse(location.File, text)
	if doc == nil {
		return nil, p.err(location.File)
	}
	return s.resolve(nil, doc.Root, []string{location.File}), nil
}

// same reports whether a file still holds what was read from it; nil is no file.
func same(file string, was []byte) bool {
	now, err := readFile(file)
	return err == nil && (now == nil) == (was == nil) && bytes.Equal(now, was)
}
