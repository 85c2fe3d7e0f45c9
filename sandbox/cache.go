package sandbox

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"openclaw/sandbox/internal/image"
	"openclaw/sandbox/internal/meter"
)

// cacheVersion changes when files in the cache change their meaning.
const cacheVersion = "2"

// cache keeps rewritten modules, memory images and, in a directory that the engine manages, compiled code. Files
// appear whole under their name or not at all, so processes need no lock between them to be safe; the one that there is
// keeps them from doing the same work.
type cache struct {
	dir string // "" when there is none
}

func openCache(dir string) (*cache, error) {
	if dir == NoCache {
		return &cache{}, nil
	}
	if dir == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return &cache{}, nil // no home: work without
		}
		dir = filepath.Join(user, "openclaw")
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("sandbox: open cache: %w", err)
	}
	c := &cache{dir: dir}
	for _, d := range []string{dir, c.codeDir(), c.programDir()} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			return nil, fmt.Errorf("sandbox: open cache: %w", err)
		}
		if err := trusted(d); err != nil {
			return nil, fmt.Errorf("sandbox: open cache %s: %w", d, err)
		}
	}
	return c, nil
}

// errUntrusted says why a directory cannot hold code that will be run.
var errUntrusted = errors.New("others than its owner can write it, so its content cannot be trusted as code")

func (c *cache) codeDir() string {
	if c.dir == "" {
		return ""
	}
	return filepath.Join(c.dir, "code-"+cacheVersion)
}

func (c *cache) programDir() string { return filepath.Join(c.dir, "programs-"+cacheVersion) }

// key names the files of a program as prepared for an engine.
func (c *cache) key(d digest, engineName string) string {
	return filepath.Join(c.programDir(), hex.EncodeToString(d[:])+"-m"+meter.Version+"-"+engineName)
}

// load returns the prepared program, or false when there is none that can be used.
func (c *cache) load(d digest, engineName string) (*prepared, *image.Image, bool) {
	if c.dir == "" {
		return nil, nil, false
	}
	key := c.key(d, engineName)
	meta, err := os.ReadFile(key + ".json")
	if err != nil {
		return nil, nil, false
	}
	p := &prepared{}
	if json.Unmarshal(meta, p) != nil || p.Version != cacheVersion {
		return nil, nil, false
	}
	if p.Wasm, err = os.ReadFile(key + ".wasm"); err != nil {
		return nil, nil, false
	}
	if !p.HasMemory {
		return p, nil, true
	}
	img, err := image.Open(key + ".mem")
	if err != nil || img.Size() != p.ImageSize {
		return nil, nil, false
	}
	return p, img, true
}

// store keeps a prepared program. The description comes last: where it is, the rest is.
func (c *cache) store(d digest, engineName string, p *prepared, memory image.Content) error {
	if c.dir == "" {
		return nil
	}
	key := c.key(d, engineName)
	meta, err := json.Marshal(p)
	if err != nil {
		return fmt.Errorf("sandbox: store program: %w", err)
	}
	if p.HasMemory {
		if err := image.Write(key+".mem", memory); err != nil {
			return fmt.Errorf("sandbox: store program: %w", err)
		}
	}
	for _, f := range []struct {
		name string
		data []byte
	}{{key + ".wasm", p.Wasm}, {key + ".json", meta}} {
		if err := image.Replace(f.name, func(file *os.File) error { _, err := file.Write(f.data); return err }); err != nil {
			return fmt.Errorf("sandbox: store program: %w", err)
		}
	}
	return nil
}

// trusted checks that nobody but the user can change what is in dir.
func trusted(dir string) error {
	st, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	if !st.IsDir() {
		return &fs.PathError{Op: "open", Path: dir, Err: errors.New("not a directory")}
	}
	return checkOwner(dir, st)
}
