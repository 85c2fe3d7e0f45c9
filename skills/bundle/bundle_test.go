package bundle_test

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"openclaw/sandbox"
	"openclaw/skills/bundle"
	"openclaw/skills/manifest"
)

func TestWhatIsPackedIsRead(t *testing.T) {
	p := pack(t, tea(t))
	b, err := bundle.Read(p.File)
	if err != nil {
		t.Fatal(err)
	}
	if b.Manifest.Name != "tea" || string(b.Text) != head || b.Doc != "Boil water.\n" || b.Digest != p.Digest || b.Signature {
		t.Errorf("%+v", b)
	}
	var got []string
	err = b.Assets(func(a bundle.Asset, content io.Reader) error {
		data, err := io.ReadAll(content)
		got = append(got, a.Path+"="+string(data))
		return err
	})
	if text := strings.Join(got, ","); err != nil || text != "scripts=,scripts/lib=,scripts/lib/a=a\n,scripts/main.sh=echo tea\n" {
		t.Errorf("%q, %v", text, err)
	}
	if len(p.Skipped) != 1 || p.Skipped[0] != "scripts/.secret" {
		t.Errorf("skipped %q", p.Skipped)
	}
	if bytes.Contains(b.Code(), []byte("openclaw.skill")) || !bytes.HasPrefix(p.File, b.Code()) {
		t.Error("the code has sections of the skill, or has been changed")
	}
}

func TestPackingIsReproducible(t *testing.T) {
	a, b := pack(t, tea(t)), pack(t, tea(t))
	if a.Digest != b.Digest {
		t.Errorf("%s, %s", a.Digest, b.Digest)
	}
}

func TestPackingAnewReplacesWhatWasPacked(t *testing.T) {
	dir := write(t, t.TempDir(), map[string]string{"skill.toml": plain, "tea.wasm": string(module(section(5, []byte{1, 0, 1})))})
	p := pack(t, dir)
	write(t, dir, map[string]string{"tea.wasm": string(p.File)})
	if again := pack(t, dir); again.Digest != p.Digest {
		t.Errorf("%s, %s", p.Digest, again.Digest)
	}
}

// TestAScriptsModuleRunsAnywhere runs the launcher where there is no interpreter.
func TestAScriptsModuleRunsAnywhere(t *testing.T) {
	p := pack(t, tea(t))
	engine, err := sandbox.Wazero(t.Context(), sandbox.EngineOptions{CacheDir: sandbox.NoCache})
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Close(context.Background())
	box := sandbox.New(engine)
	program, err := box.Load(t.Context(), sandbox.Module("tea", p.File))
	if err != nil {
		t.Fatal(err)
	}
	var stderr strings.Builder
	result, err := box.Run(t.Context(), sandbox.Grant{}, program, sandbox.Command{Args: []string{"tea"}, Stderr: &stderr})
	if err != nil || result.ExitCode != 126 || stderr.String() != "tea: this skill is a shell script: it runs in openclaw, which has the interpreter\n" {
		t.Errorf("%+v, %v, %q", result, err, stderr.String())
	}
	t.Run("node", func(t *testing.T) {
		node, err := exec.LookPath("node")
		if err != nil {
			t.Skip("no node")
		}
		name := filepath.Join(t.TempDir(), "tea.wasm")
		if err := os.WriteFile(name, p.File, 0o600); err != nil {
			t.Fatal(err)
		}
		const script = `const {WASI} = require("node:wasi"), fs = require("fs");
const wasi = new WASI({version: "preview1", args: ["tea"], env: {}, returnOnExit: true});
WebAssembly.instantiate(fs.readFileSync(process.argv[1]), wasi.getImportObject()).then(r => process.exit(wasi.start(r.instance)));`
		cmd := exec.Command(node, "--no-warnings", "-e", script, name)
		out, err := cmd.CombinedOutput()
		if cmd.ProcessState.ExitCode() != 126 || string(out) != stderr.String() {
			t.Errorf("%v, %q", err, out)
		}
	})
}

func TestADirectoryThatCannotBePackedSaysWhy(t *testing.T) {
	for name, c := range map[string]struct {
		change func(dir string) error
		want   string
		cause  error
	}{
		"no manifest": {func(d string) error { return os.Remove(filepath.Join(d, "skill.toml")) }, "skill.toml", os.ErrNotExist},
		"no script":   {func(d string) error { return os.Remove(filepath.Join(d, "scripts/main.sh")) }, "main.sh is not among them", bundle.ErrMalformed},
		"no assets":   {func(d string) error { return os.RemoveAll(filepath.Join(d, "scripts")) }, "scripts", os.ErrNotExist},
		"link":        {func(d string) error { return os.Symlink("/etc/passwd", filepath.Join(d, "scripts/leak")) }, "scripts/leak", bundle.ErrSource},
		"linked assets": {func(d string) error {
			return errors.Join(os.RemoveAll(filepath.Join(d, "scripts")), os.Symlink("/etc", filepath.Join(d, "scripts")))
		}, "scripts", bundle.ErrSource},
		"linked manifest": {func(d string) error {
			return errors.Join(os.Rename(filepath.Join(d, "skill.toml"), filepath.Join(d, "x")), os.Symlink("x", filepath.Join(d, "skill.toml")))
		}, "skill.toml", bundle.ErrSource},
		"bad manifest": {func(d string) error { return os.WriteFile(filepath.Join(d, "skill.toml"), []byte("x = 1"), 0o600) }, "unknown key", nil},
		"bad name":     {func(d string) error { return os.WriteFile(filepath.Join(d, "scripts/a:b"), nil, 0o600) }, "plain relative path", bundle.ErrSource},
		"not built":    {func(d string) error { return os.WriteFile(filepath.Join(d, "skill.toml"), []byte(plain), 0o600) }, "build it first", os.ErrNotExist},
		"no module": {func(d string) error {
			return errors.Join(os.WriteFile(filepath.Join(d, "skill.toml"), []byte(plain), 0o600), os.WriteFile(filepath.Join(d, "tea.wasm"), []byte("ELF"), 0o600))
		}, "not a WebAssembly module", bundle.ErrNotModule},
	} {
		t.Run(name, func(t *testing.T) {
			dir := tea(t)
			if err := c.change(dir); err != nil {
				t.Fatal(err)
			}
			_, err := bundle.Pack(dir)
			if err == nil || !strings.Contains(err.Error(), c.want) || c.cause != nil && !errors.Is(err, c.cause) {
				t.Errorf("%v, want %s", err, c.want)
			}
		})
	}
}

// TestHostileFilesAreRefused has a typed error for everything that a file can be made to be.
func TestHostileFilesAreRefused(t *testing.T) {
	skill, scripts := custom("openclaw.skill", []byte(plain)), custom("openclaw.skill", []byte(head))
	big := []byte{0xff, 0xff, 0xff, 0xff, 0x0f}
	memory := func(pages int) []byte { return section(5, []byte{1, 0}, number(pages)) }
	assets := func(entries ...entry) []byte {
		return module(scripts, custom("openclaw.assets", archive(t, entries...)))
	}
	dir := entry{Header: tar.Header{Name: "scripts/", Typeflag: tar.TypeDir, Mode: 0o755}}
	main := file("scripts/main.sh", "echo\n")
	with := func(e entry) []byte { return assets(dir, main, e) }
	packed := archive(t, dir, main)
	for name, c := range map[string]struct {
		file  []byte
		cause error
	}{
		"nothing":                    {nil, bundle.ErrNotModule},
		"text":                       {[]byte("hello, world"), bundle.ErrNotModule},
		"component":                  {[]byte("\x00asm\x0d\x00\x01\x00"), bundle.ErrNotModule},
		"no skill":                   {module(memory(1)), bundle.ErrNoSkill},
		"section beyond the file":    {module([]byte{0}, big), bundle.ErrMalformed},
		"size of five bytes too big": {module([]byte{0, 0xff, 0xff, 0xff, 0xff, 0x7f}), bundle.ErrMalformed},
		"size without an end":        {module([]byte{0, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80}), bundle.ErrMalformed},
		"unknown kind of section":    {module(section(77)), bundle.ErrMalformed},
		"name beyond the section":    {module(section(0, []byte{9, 'a'})), bundle.ErrMalformed},
		"name that is no text":       {module(section(0, []byte{1, 0xff})), bundle.ErrMalformed},
		"sections out of order":      {module(section(5, []byte{0}), section(1, []byte{0}), skill), bundle.ErrMalformed},
		"section twice":              {module(section(5, []byte{0}), section(5, []byte{0}), skill), bundle.ErrMalformed},
		"manifest twice":             {module(skill, skill), bundle.ErrDuplicate},
		"signature twice":            {module(skill, custom("signature", nil), custom("signature", nil)), bundle.ErrDuplicate},
		"section of later times":     {module(skill, custom("openclaw.hooks", nil)), bundle.ErrUnknown},
		"manifest that is none":      {module(custom("openclaw.skill", []byte("name = 5"))), bundle.ErrManifest},
		"manifest of a mebibyte":     {module(custom("openclaw.skill", bytes.Repeat([]byte("#\n"), 1<<19))), bundle.ErrManifest},
		"asks for what is not kept":  {module(custom("openclaw.skill", []byte(plain+"[capabilities]\nnet = []\n"))), manifest.ErrUnenforced},
		"instructions of a mebibyte": {module(skill, custom("openclaw.skill.md", make([]byte, 1<<20))), bundle.ErrTooLarge},
		"instructions in Latin 1":    {module(skill, custom("openclaw.skill.md", []byte("\xe9"))), bundle.ErrMalformed},
		"memory of 2 GiB":            {module(memory(2<<30>>16), skill), bundle.ErrMemory},
		"memory of 256 TiB":          {module(section(5, []byte{1, 0}, big), skill), bundle.ErrMalformed},
		"two memories":               {module(section(5, []byte{2, 0, 1, 0, 1}), skill), bundle.ErrMalformed},
		"memory that ends":           {module(section(5, []byte{1}), skill), bundle.ErrMalformed},
		"a million functions":        {module(section(3, number(1_000_000), make([]byte, 1_000_000)), skill), bundle.ErrTooLarge},
		"a million bodies":           {module(section(10, number(1_000_000), make([]byte, 1_000_000)), skill), bundle.ErrTooLarge},
		"a million imports":          {module(section(2, number(1_000_000)), skill), bundle.ErrTooLarge},
		"a million sections":         {module(skill, bytes.Repeat(custom("x", nil), 1_000_000)), bundle.ErrTooLarge},
		"a large file":               {make([]byte, bundle.MaxFile+1), bundle.ErrTooLarge},

		"assets that are none":       {module(scripts, custom("openclaw.assets", []byte("PK\x03\x04"))), bundle.ErrArchive},
		"assets cut off":             {module(scripts, custom("openclaw.assets", packed[:len(packed)-9])), bundle.ErrArchive},
		"no script":                  {assets(dir), bundle.ErrMalformed},
		"no assets":                  {module(scripts), bundle.ErrMalformed},
		"file above":                 {with(file("../evil", "x")), bundle.ErrArchive},
		"file far above":             {with(file("scripts/../../evil", "x")), bundle.ErrArchive},
		"absolute file":              {with(file("/etc/cron.d/evil", "x")), bundle.ErrArchive},
		"file of a drive":            {with(file(`C:\evil`, "x")), bundle.ErrArchive},
		"file with backslashes":      {with(file(`scripts\..\..\evil`, "x")), bundle.ErrArchive},
		"hidden file":                {with(file(".bashrc", "x")), bundle.ErrArchive},
		"file with a line break":     {with(file("a\nb", "x")), bundle.ErrArchive},
		"device of Windows":          {with(file("scripts/NUL.txt", "x")), bundle.ErrArchive},
		"instructions twice":         {with(file("skill.MD", "x")), bundle.ErrArchive},
		"same name":                  {with(file("scripts/main.sh", "rm")), bundle.ErrArchive},
		"same name in capitals":      {with(file("scripts/MAIN.sh", "rm")), bundle.ErrArchive},
		"same name, decomposed":      {assets(dir, main, file("scripts/\u00e9", "a"), file("scripts/e\u0301", "b")), bundle.ErrArchive},
		"file in a file":             {with(file("scripts/main.sh/x", "x")), bundle.ErrArchive},
		"file without its directory": {with(file("other/x", "x")), bundle.ErrArchive},
		"link":                       {with(entry{Header: tar.Header{Name: "scripts/l", Typeflag: tar.TypeSymlink, Linkname: "/etc"}}), bundle.ErrArchive},
		"hard link":                  {with(entry{Header: tar.Header{Name: "scripts/l", Typeflag: tar.TypeLink, Linkname: "scripts/main.sh"}}), bundle.ErrArchive},
		"device":                     {with(entry{Header: tar.Header{Name: "scripts/d", Typeflag: tar.TypeChar}}), bundle.ErrArchive},
		"FIFO":                       {with(entry{Header: tar.Header{Name: "scripts/d", Typeflag: tar.TypeFifo}}), bundle.ErrArchive},
		"attributes":                 {with(entry{Header: tar.Header{Name: "scripts/d", Typeflag: tar.TypeReg, PAXRecords: map[string]string{"SCHILY.xattr.user.x": "y"}}}), bundle.ErrArchive},
		"deep":                       {with(file(strings.Repeat("a/", 20)+"a", "x")), bundle.ErrArchive},
		"many entries":               {assets(many(5000)...), bundle.ErrTooLarge},
		"something behind the end":   {module(scripts, custom("openclaw.assets", append(bytes.Clone(packed), compress(t, strings.NewReader("more"))...))), bundle.ErrArchive},
		"a bomb":                     {with(file("scripts/zeros", string(make([]byte, 32<<20)))), bundle.ErrTooLarge},
		"a bomb behind the end":      {module(scripts, custom("openclaw.assets", append(bytes.Clone(packed), compress(t, bytes.NewReader(make([]byte, 200<<20)))...))), bundle.ErrTooLarge},
	} {
		t.Run(name, func(t *testing.T) {
			b, err := bundle.Read(c.file)
			var typed *bundle.Error
			if b != nil || !errors.As(err, &typed) || !errors.Is(err, c.cause) {
				t.Errorf("%T: %v, want %v", err, err, c.cause)
			}
			if err != nil && len(err.Error()) > 1000 {
				t.Errorf("%d bytes of error", len(err.Error()))
			}
		})
	}
}

func many(n int) []entry {
	list := make([]entry, n)
	for i := range list {
		list[i] = file(fmt.Sprint("f", i), "")
	}
	return list
}

func TestAHeaderThatLiesIsCounted(t *testing.T) {
	raw := make([]byte, 1024)
	h := file("huge", "")
	h.Size = bundle.MaxAsset + 1
	var b bytes.Buffer
	if err := tar.NewWriter(&b).WriteHeader(&h.Header); err != nil {
		t.Fatal(err)
	}
	copy(raw, b.Bytes())
	_, err := bundle.Read(module(custom("openclaw.skill", []byte(plain)), custom("openclaw.assets", compress(t, bytes.NewReader(raw)))))
	if !errors.Is(err, bundle.ErrTooLarge) {
		t.Error(err)
	}
}

func TestFilesThatAreNoFiles(t *testing.T) {
	dir := t.TempDir()
	if _, err := bundle.Open(dir); err == nil {
		t.Error("a directory was opened")
	}
	huge := filepath.Join(dir, "huge")
	f, err := os.Create(huge)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Truncate(1 << 40); err != nil {
		t.Skip("no sparse files")
	}
	if _, err := bundle.Open(huge); !errors.Is(err, bundle.ErrTooLarge) {
		t.Error(err)
	}
}

// TestTruncatedBundlesAreRefused cuts a bundle off everywhere: what is not there cannot be missed.
func TestTruncatedBundlesAreRefused(t *testing.T) {
	p := pack(t, tea(t))
	for n := range p.File {
		b, err := bundle.Read(p.File[:n])
		var typed *bundle.Error
		if err == nil && b.Digest == p.Digest || err != nil && !errors.As(err, &typed) {
			t.Fatalf("%d bytes: %v", n, err)
		}
	}
}

func FuzzRead(f *testing.F) {
	p := pack(f, tea(f))
	f.Add(p.File)
	f.Add(module(custom("openclaw.skill", []byte(plain)), section(5, []byte{1, 0, 1})))
	f.Fuzz(func(t *testing.T, data []byte) {
		b, err := bundle.Read(data)
		var typed *bundle.Error
		if err != nil {
			if !errors.As(err, &typed) {
				t.Fatalf("%T: %v", err, err)
			}
			return
		}
		if err := b.Assets(func(a bundle.Asset, _ io.Reader) error { return manifest.CheckPath(a.Path) }); err != nil {
			t.Fatal(err)
		}
		if again, err := bundle.Read(append(b.Code(), custom("openclaw.skill", b.Text)...)); b.Manifest.Runtime == manifest.Wasm && (err != nil || again.Manifest.Name != b.Manifest.Name) {
			t.Fatal(err)
		}
	})
}

func TestWhatAVisitorSaysIsNoFaultOfTheArchive(t *testing.T) {
	p := pack(t, tea(t))
	want := errors.New("enough")
	if err := p.Assets(func(bundle.Asset, io.Reader) error { return want }); err != want {
		t.Error(err)
	}
}
