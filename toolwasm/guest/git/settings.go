package git

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"openclaw/toolwasm/guest/git/config"
	"openclaw/toolwasm/guest/sys"
)

// The places that a configuration comes from.
const (
	scopeSystem  = "system"
	scopeGlobal  = "global"
	scopeLocal   = "local"
	scopeCommand = "command"
)

// source is one configuration file, or what the command line says.
type source struct {
	scope string
	path  string
	file  *config.File
}

// settings is the whole configuration, the weakest source first.
type settings struct{ sources []source }

// pathError is an error about a file.
type fileError struct {
	path string
	err  error
}

func (e *fileError) Error() string { return e.path + ": " + e.err.Error() }
func (e *fileError) Unwrap() error { return e.err }

func pathOf(err error) string {
	var fe *fileError
	if errors.As(err, &fe) {
		return fe.path
	}
	return ""
}

// ownConfig is the configuration of a repository that was made where its "config" is protected: only this program reads it.
const ownConfig = "/config.sandbox"

// sessionConfig is where the user's settings are kept when the home directory protects its own file.
func (g *git) sessionConfig() string {
	dir, ok := g.p.Env.Get("TMPDIR")
	if !ok || dir == "" {
		dir = "/tmp"
	}
	return dir + "/.gitconfig"
}

// globalFiles lists the configuration files of the user, the weakest first.
func (g *git) globalFiles() []string {
	if f, ok := g.p.Env.Get("GIT_CONFIG_GLOBAL"); ok {
		if f == "" {
			return nil
		}
		return []string{g.p.Path(f)}
	}
	home, _ := g.p.Env.Get("HOME")
	var files []string
	if xdg, ok := g.p.Env.Get("XDG_CONFIG_HOME"); ok && xdg != "" {
		files = append(files, xdg+"/git/config")
	} else if home != "" {
		files = append(files, home+"/.config/git/config")
	}
	if home != "" {
		files = append(files, home+"/.gitconfig")
	}
	return append(files, g.sessionConfig())
}

// loadConfig reads every source; the directories are empty outside of a repository.
func (g *git) loadConfig(common, dir string) (*settings, error) {
	s := &settings{}
	if no, _ := g.p.Env.Get("GIT_CONFIG_NOSYSTEM"); no == "" || no == "0" {
		if err := s.load(scopeSystem, "/etc/gitconfig"); err != nil {
			return nil, err
		}
	}
	for _, f := range g.globalFiles() {
		if err := s.load(scopeGlobal, f); err != nil {
			return nil, err
		}
	}
	if common != "" {
		if err := s.load(scopeLocal, common+"/config"); err != nil {
			return nil, err
		}
		if _, err := sys.Lstat(common + "/config"); err != nil {
			if err := s.load(scopeLocal, common+ownConfig); err != nil {
				return nil, err
			}
		}
		if on, _ := s.boolean("extensions.worktreeconfig"); on {
			if err := s.load(scopeLocal, dir+"/config.worktree"); err != nil {
				return nil, err
			}
		}
	}
	return s, s.loadCommand(g)
}

func (s *settings) load(scope, name string) error {
	info, err := sys.Stat(name)
	if err != nil || info.IsDir() {
		return nil
	}
	if info.Size > config.MaxSize {
		return &fileError{name, errors.New("configuration file is too large")}
	}
	data, err := sys.ReadFile(name)
	if err != nil {
		if errors.Is(err, fs.ErrPermission) {
			return nil
		}
		return err
	}
	f, err := config.Parse(string(data))
	if err != nil {
		return &fileError{name, err}
	}
	s.sources = append(s.sources, source{scope, name, f})
	return nil
}

// maxEnvConfig bounds the settings that the environment holds.
const maxEnvConfig = 1000

func (s *settings) loadCommand(g *git) error {
	f := &config.File{}
	add := func(key, value string, hasValue bool) {
		canonical, ok := config.CanonicalKey(key)
		if !ok {
			g.die("bad config parameter: %s", key)
		}
		f.Entries = append(f.Entries, config.Entry{Key: canonical, Value: value, HasValue: hasValue})
	}
	if n, ok := g.p.Env.Get("GIT_CONFIG_COUNT"); ok {
		count, err := strconv.Atoi(n)
		if err != nil || count < 0 || count > maxEnvConfig {
			g.die("bogus count in GIT_CONFIG_COUNT")
		}
		for i := range count {
			key, _ := g.p.Env.Get(fmt.Sprintf("GIT_CONFIG_KEY_%d", i))
			value, _ := g.p.Env.Get(fmt.Sprintf("GIT_CONFIG_VALUE_%d", i))
			add(key, value, true)
		}
	}
	for _, set := range g.set {
		key, value, ok := strings.Cut(set, "=")
		add(key, value, ok)
	}
	s.sources = append(s.sources, source{scopeCommand, "", f})
	return nil
}

// anyConfig is the configuration inside or outside of a repository.
func (g *git) anyConfig() *settings {
	r, err := g.discover()
	if err == nil && r != nil {
		return r.cfg
	}
	s, err := g.loadConfig("", "")
	g.check(err)
	return s
}

// get returns the strongest value of a key, which is given in lower case.
func (s *settings) get(key string) (string, bool) {
	for _, src := range slices.Backward(s.sources) {
		if v, ok := src.file.Get(key); ok {
			return v, true
		}
	}
	return "", false
}

func (s *settings) str(key, otherwise string) string {
	if v, ok := s.get(key); ok {
		return v
	}
	return otherwise
}

// boolean returns a setting that is true or false; ok is false when it is neither.
func (s *settings) boolean(key string) (value, ok bool) {
	for _, src := range slices.Backward(s.sources) {
		for _, e := range slices.Backward(src.file.Entries) {
			if e.Key == key {
				return config.Bool(e.Value, e.HasValue)
			}
		}
	}
	return false, false
}

func (s *settings) on(key string, otherwise bool) bool {
	if v, ok := s.boolean(key); ok {
		return v
	}
	return otherwise
}

// number returns a setting that is a number, with the units k, m and g.
func (s *settings) number(key string, otherwise int) int {
	v, ok := s.get(key)
	if !ok {
		return otherwise
	}
	unit := 1
	if v != "" {
		switch v[len(v)-1] | 0x20 {
		case 'k':
			unit = 1 << 10
		case 'm':
			unit = 1 << 20
		case 'g':
			unit = 1 << 30
		}
		if unit > 1 {
			v = v[:len(v)-1]
		}
	}
	n, err := strconv.Atoi(v)
	if err != nil {
		return otherwise
	}
	return n * unit
}
