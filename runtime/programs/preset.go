package programs

import (
	"archive/zip"
	"bytes"
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"openclaw/sandbox"
	"openclaw/toolwasm/programs/python"
)

// A preset is what a well-known program needs to feel at home.
type preset struct {
	env      []string
	readsPWD bool
	script   string
	guest    string            // where files are mounted
	files    map[string]string // files of ours that it reads
	launcher *sandbox.Launcher
}

// presets are what there are. Python's own library is mounted by who installs it, at /py/lib.
var presets = map[string]preset{
	"python": {
		env:      []string{"PYTHONHOME=/py", "PYTHONPATH=/py/site:/py/lib", "PYTHONDONTWRITEBYTECODE=1", "PYTHONUTF8=1"},
		readsPWD: true, script: "cm",
		guest: "/py/site",
		files: map[string]string{"sitecustomize.py": python.Site},
	},
	"ruby": {readsPWD: true, launcher: rubyLauncher},
}

//go:embed ruby.rb
var rubyMain string

// rubyLauncher starts the CRuby of the packages @ruby/*-wasm-wasi, which is built for a page that calls it. Its own functions for
// JavaScript become stubs.
var rubyLauncher = &sandbox.Launcher{
	Initialize: "_initialize",
	Alloc:      "cabi_realloc",
	Start:      "ruby-init: func(args: list<string>) -> ()",
	Eval:       "rb-eval-string-protect: func(str: string) -> tuple<handle<rb-abi-value>, s32>",
	Args:       []string{"ruby", "-EUTF-8", "-e_=0"},
	Prelude:    "Kernel.eval(<<'OPENCLAW', TOPLEVEL_BINDING.dup, '<internal:openclaw>')\n" + rubyMain + "OPENCLAW\n",
	Run: [3]string{
		"RubyVM::OpenclawMain.start(*['", "','",
		`'].map { |s| [s.tr('a-p', '0-9a-f')].pack('H*').force_encoding('UTF-8').split("\0", -1)[0...-1] }` +
			`.then { |args, env| [args, env.to_h { |v| v.split('=', 2) }] })`,
	},
}

// needsAdapting reports whether a module is to be changed to be the program.
func (in Install) needsAdapting() bool { return in.Stubs || presets[in.Preset].launcher != nil }

// adapted is the module of a program, made of the file that was given.
func (in Install) adapted(module []byte) (adapted []byte, stubs []string, err error) {
	launcher := presets[in.Preset].launcher
	return sandbox.Adapt(module, sandbox.Adaptation{Name: in.Name, Stubs: in.Stubs || launcher != nil, Launcher: launcher})
}

// Presets lists the presets by name.
func Presets() []string {
	var names []string
	for n := range presets {
		names = append(names, n)
	}
	slices.Sort(names)
	return names
}

// applyPreset fills in what the program does not say itself.
func applyPreset(p *Program, name string) error {
	if name == "" {
		return nil
	}
	pre, ok := presets[name]
	if !ok {
		return fmt.Errorf("programs: no preset %q; there is %s", name, strings.Join(Presets(), ", "))
	}
	p.Env = append(slices.Clone(pre.env), p.Env...)
	p.ReadsPWD = p.ReadsPWD || pre.readsPWD
	if p.Script == "" {
		p.Script = pre.script
	}
	return nil
}

// presetArchive is the preset's own files, and where they go.
func presetArchive(name string) (guest string, data []byte) {
	pre := presets[name]
	if len(pre.files) == 0 {
		return "", nil
	}
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for file, text := range pre.files {
		f, err := w.CreateHeader(&zip.FileHeader{Name: file, Method: zip.Store})
		if err != nil {
			return "", nil // a buffer takes everything
		}
		_, _ = f.Write([]byte(text))
	}
	_ = w.Close()
	return pre.guest, b.Bytes()
}
