package sed

import (
	"bufio"
	"fmt"
	"path"
	"strings"

	"openclaw/toolwasm/guest/sys"
)

// inPlace is a file that is being edited: its new text goes to a temporary file beside it, which then takes its name.
type inPlace struct {
	m      *machine
	target string // absolute
	temp   string
	backup string
	out    *output
}

// beginInPlace begins the editing of a file.
func (m *machine) beginInPlace(name string) (*inPlace, error) {
	target := m.p.Path(name)
	if m.opts.follow {
		if resolved, err := m.resolveLink(target); err == nil {
			target = resolved
		}
	}
	info, err := m.p.Stat(target)
	if err != nil {
		return nil, fmt.Errorf("couldn't edit %s: %s", name, sys.Strerror(err))
	}
	if !info.IsRegular() {
		return nil, fmt.Errorf("couldn't edit %s: not a regular file", name)
	}
	f, temp, err := sys.CreateTemp(path.Dir(target), "sed*", info.Mode) // named as GNU's
	if err != nil {
		return nil, fmt.Errorf("couldn't open temporary file %s: %s", temp, sys.Strerror(err))
	}
	pl := &inPlace{m: m, target: target, temp: temp, out: &output{w: bufio.NewWriterSize(f, outputBuffer), c: f}}
	if m.opts.suffix != "" {
		pl.backup = backupName(target, m.opts.suffix)
	}
	// A file keeps its mode, set-id bits included, whatever the umask is.
	if err := sys.Chmod(temp, info.Mode); err != nil {
		pl.abort()
		return nil, fmt.Errorf("couldn't edit %s: %s", name, sys.Strerror(err))
	}
	m.out = pl.out
	return pl, nil
}

// maxLinks is how many symbolic links are followed in a row.
const maxLinks = 40

func (m *machine) resolveLink(target string) (string, error) {
	for range maxLinks {
		info, err := m.p.Lstat(target)
		if err != nil || !info.IsLink() {
			return target, err
		}
		to, err := sys.Readlink(target)
		if err != nil {
			return "", err
		}
		if !strings.HasPrefix(to, "/") {
			to = path.Dir(target) + "/" + to
		}
		target = to
	}
	return target, nil
}

// backupName applies a suffix: each * in it stands for the file's name, and a slash leads to another directory.
func backupName(target, suffix string) string {
	dir, base := path.Split(target)
	name := base + suffix
	if strings.Contains(suffix, "*") {
		name = strings.ReplaceAll(suffix, "*", base)
	}
	if strings.HasPrefix(name, "/") {
		return name
	}
	return dir + name
}

// commit puts the new file in the place of the old one.
func (pl *inPlace) commit() error {
	pl.m.out = pl.m.outs.stdout
	if err := pl.out.close(); err != nil {
		pl.abort()
		return fmt.Errorf("couldn't write %s: %s", pl.temp, sys.Strerror(err))
	}
	if pl.backup != "" {
		if err := sys.Rename(pl.target, pl.backup); err != nil {
			pl.abort()
			return fmt.Errorf("cannot rename %s: %s", pl.target, sys.Strerror(err))
		}
	}
	if err := sys.Rename(pl.temp, pl.target); err != nil {
		pl.abort()
		return fmt.Errorf("cannot rename %s: %s", pl.temp, sys.Strerror(err))
	}
	return nil
}

// abort leaves the old file as it was.
func (pl *inPlace) abort() {
	if pl.out.c != nil {
		pl.out.c.Close()
		pl.out.c = nil
	}
	_ = sys.Unlink(pl.temp)
}
