package programs

import (
	"archive/zip"
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// A preset is what a well-known program needs to feel at home.
type preset struct {
	env      []string
	readsPWD bool
	script   string
	guest    string            // where files are mounted
	files    map[string]string // files of ours that it reads
}

// presets are what there are. Python's own library is mounted by who installs it, at /py/lib.
var presets = map[string]preset{
	"python": {
		env:      []string{"PYTHONHOME=/py", "PYTHONPATH=/py/site:/py/lib", "PYTHONDONTWRITEBYTECODE=1", "PYTHONUTF8=1"},
		readsPWD: true, script: "cm",
		guest: "/py/site",
		// WASI has no working directory to begin in, so Python begins at the root and goes to it before it runs anything.
		files: map[string]string{"sitecustomize.py": `import os
try:
    os.chdir(os.environ.get("PWD", "/"))
except OSError:
    pass
`},
	},
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
