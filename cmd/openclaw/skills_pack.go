package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"openclaw/runtime/bundles"
	"openclaw/skills/bundle"
	"openclaw/skills/capability"
	"openclaw/skills/compile"
	"openclaw/skills/manifest"
	"openclaw/skills/scaffold"
)

func skillsNew(c bundleCall) error {
	name, language := c.args[0], c.String("lang")
	dir := c.String("dir")
	if dir == "" {
		dir = name
		if err := manifest.CheckName(name); err != nil {
			return fmt.Errorf("skills: new %q: %w", name, err)
		}
	}
	if err := scaffold.New(dir, name, language); err != nil {
		return err
	}
	if c.Bool("json") {
		return printJSON(c.std.out, map[string]string{"name": name, "lang": language, "dir": dir})
	}
	next := []string{"pack " + dir + " -o " + name + ".wasm", "install " + name + ".wasm", "grant " + name}
	if language == "go" || language == "c" {
		next = append([]string{"build " + dir}, next...)
	}
	_, err := fmt.Fprintf(c.std.out, "made %s; next:\n   openclaw skills %s\n", dir, strings.Join(next, "\n   openclaw skills "))
	return err
}

// readManifest reads the manifest of a directory.
func readManifest(dir string) (*manifest.Manifest, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("skills: %w", err)
	}
	defer root.Close()
	f, err := root.Open(manifest.FileName)
	if err != nil {
		return nil, fmt.Errorf("skills: %w", err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, manifest.MaxSize+1))
	if err != nil {
		return nil, fmt.Errorf("skills: %w", err)
	}
	return manifest.Parse(text)
}

func skillsBuild(c bundleCall) error {
	dir := c.arg(0, ".")
	m, err := readManifest(dir)
	if err != nil {
		return err
	}
	if m.Runtime == manifest.Wasm {
		if err := compile.Build(c.Context.Context, dir, m); err != nil {
			return err
		}
	}
	if c.Bool("json") {
		return printJSON(c.std.out, map[string]string{"name": m.Name, "runtime": string(m.Runtime), "module": m.Module})
	}
	if m.Runtime != manifest.Wasm {
		_, err = fmt.Fprintf(c.std.out, "%s is a %s skill: there is nothing to build\n", m.Name, m.Runtime)
		return err
	}
	_, err = fmt.Fprintf(c.std.out, "built %s\n", filepath.Join(dir, m.Module))
	return err
}

func skillsPack(c bundleCall) error {
	dir := c.arg(0, ".")
	p, err := bundle.Pack(dir)
	if err != nil {
		return err
	}
	out := c.String("output")
	if out == "" {
		out = filepath.Join(dir, p.Manifest.Name+"-"+p.Manifest.Version+".skill.wasm")
	}
	if err := writeWhole(out, p.File); err != nil {
		return err
	}
	for _, s := range p.Skipped {
		fmt.Fprintf(c.std.err, "openclaw: %s is hidden: not packed\n", printable(s))
	}
	if c.Bool("json") {
		return printJSON(c.std.out, map[string]any{"file": out, "name": p.Manifest.Name, "version": p.Manifest.Version, "digest": p.Digest.String(), "bytes": len(p.File), "skipped": list(p.Skipped)})
	}
	_, err = fmt.Fprintf(c.std.out, "%s: %s %s, %d bytes, %s\n", out, p.Manifest.Name, p.Manifest.Version, len(p.File), p.Digest)
	return err
}

// writeWhole writes a file that others find whole, or as it was.
func writeWhole(name string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(name), ".pack-")
	if err != nil {
		return fmt.Errorf("skills: write %s: %w", name, err)
	}
	defer os.Remove(f.Name())
	_, err = f.Write(data)
	if err = errors.Join(err, f.Chmod(0o644), f.Close()); err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		return fmt.Errorf("skills: write %s: %w", name, err)
	}
	return nil
}

// inspected is what inspect --json prints.
type inspected struct {
	Name        string             `json:"name"`
	Version     string             `json:"version"`
	Description string             `json:"description"`
	License     string             `json:"license,omitempty"`
	Homepage    string             `json:"homepage,omitempty"`
	Runtime     manifest.Runtime   `json:"runtime"`
	Script      string             `json:"script,omitempty"`
	Signer      string             `json:"signer"`
	Signature   bool               `json:"signatureNotChecked"`
	Digest      string             `json:"digest"`
	Bytes       int                `json:"bytes"`
	Tools       []manifest.Tool    `json:"tools"`
	Commands    []manifest.Command `json:"commands"`
	Requests    capability.Set     `json:"requests"`
	Asks        []string           `json:"asks"` // the same in words
	Assets      []assetShown       `json:"assets"`
	Sections    []bundle.Section   `json:"sections"`
}

type assetShown struct {
	Path  string `json:"path"`
	Bytes int64  `json:"bytes"`
	Dir   bool   `json:"directory,omitempty"`
}

func skillsInspect(c bundleCall) error {
	b, err := bundle.Open(c.args[0])
	if err != nil {
		return err
	}
	m := b.Manifest
	out := inspected{
		Name: m.Name, Version: m.Version, Description: m.Description, License: m.License, Homepage: m.Homepage, Runtime: m.Runtime, Script: m.Script,
		Signer: bundle.Unsigned, Signature: b.Signature, Digest: b.Digest.String(), Bytes: b.Size(),
		Tools: m.Tools, Commands: m.Commands, Requests: m.Requests, Asks: m.Requests.Words(), Assets: []assetShown{}, Sections: b.Sections,
	}
	err = b.Assets(func(a bundle.Asset, _ io.Reader) error {
		out.Assets = append(out.Assets, assetShown{a.Path, a.Size, a.Mode.IsDir()})
		return nil
	})
	if err != nil {
		return err
	}
	if c.Bool("json") {
		return printJSON(c.std.out, out)
	}
	return inspectText(c.std.out, b, out)
}

func inspectText(w io.Writer, b *bundle.Bundle, out inspected) error {
	var l lines
	l.add("skill", out.Name)
	l.add("version", out.Version)
	l.add("description", out.Description)
	l.add("license", out.License)
	l.add("homepage", out.Homepage)
	l.add("runs on", strings.TrimSpace(string(out.Runtime)+" "+out.Script))
	l.add("signer", signerText(b))
	l.add("digest", out.Digest)
	l.add("size", fmt.Sprint(out.Bytes, " bytes"))
	offers(&l, b.Manifest)
	l.list("asks", out.Asks)
	for _, a := range out.Assets {
		if !a.Dir {
			l.add("file", fmt.Sprintf("%s (%d bytes)", a.Path, a.Bytes))
		}
	}
	for _, s := range out.Sections {
		name := s.Name
		if s.ID == 0 {
			name = "custom " + name
		}
		l.add("section", fmt.Sprintf("%s (%d bytes)", name, s.Size))
	}
	return l.to(w)
}

// offers lists what a skill offers.
func offers(l *lines, m *manifest.Manifest) {
	for _, t := range m.Tools {
		l.add("tool", m.ToolName(t)+": "+t.Description)
	}
	for _, cmd := range m.Commands {
		l.add("command", cmd.Name)
	}
}

func skillsUnpack(c bundleCall) error {
	b, err := bundle.Open(c.args[0])
	if err != nil {
		return err
	}
	dir := c.args[1]
	if err := unpackInto(b, dir); err != nil {
		return fmt.Errorf("skills: unpack: %w", err)
	}
	if c.Bool("json") {
		return printJSON(c.std.out, map[string]string{"name": b.Manifest.Name, "dir": dir})
	}
	_, err = fmt.Fprintf(c.std.out, "%s %s is in %s\n", b.Manifest.Name, b.Manifest.Version, dir)
	return err
}

// unpackInto writes a skill's files as pack reads them, into a directory that it makes: whole, or not at all.
func unpackInto(b *bundle.Bundle, dir string) error {
	if _, err := os.Lstat(dir); err == nil {
		return fmt.Errorf("%s: it exists already", dir)
	}
	temp, err := os.MkdirTemp(filepath.Dir(filepath.Clean(dir)), ".unpack-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	root, err := os.OpenRoot(temp)
	if err != nil {
		return err
	}
	defer root.Close()
	files := map[string][]byte{manifest.FileName: b.Text}
	if b.Doc != "" {
		files[bundle.DocName] = []byte(b.Doc)
	}
	for name, data := range files {
		if err := root.WriteFile(name, data, 0o600); err != nil {
			return err
		}
	}
	if err := bundles.Unpack(b, root); err != nil {
		return err
	}
	if m := b.Manifest; m.Runtime == manifest.Wasm {
		if err := root.MkdirAll(filepath.Dir(filepath.FromSlash(m.Module)), 0o700); err != nil {
			return err
		}
		f, err := root.OpenFile(m.Module, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600) // an asset of this name is no module
		if err != nil {
			return err
		}
		if _, err = f.Write(b.Code()); err != nil {
			f.Close()
			return err
		}
		if err := f.Close(); err != nil {
			return err
		}
	}
	return os.Rename(temp, dir)
}
