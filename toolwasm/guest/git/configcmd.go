package git

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"openclaw/toolwasm/guest/git/config"
	"openclaw/toolwasm/guest/git/refs"
	"openclaw/toolwasm/guest/regex"
	"openclaw/toolwasm/guest/sys"
)

// Exit statuses of git config.
const (
	configMissing  = 1
	configMultiple = 5
	configUnset    = 5
	configBadKey   = 1
)

func cmdConfig(g *git) int {
	l := g.parse("global local system worktree file,f= get get-all get-regexp= get-urlmatch= list,l unset unset-all add replace-all " +
		"rename-section remove-section type,t= bool int bool-or-int path expiry-date null,z name-only show-origin show-scope default= " +
		"edit,e includes no-includes fixed-value no-type")
	args := l.operands()
	if re, ok := l.get("get-regexp"); ok {
		return g.configRegexp(l, re)
	}
	if l.has("edit") {
		g.die("there is no editor here: use 'git config <name> <value>'")
	}
	switch {
	case l.has("list"):
		return g.configList(l)
	case l.has("get") || l.has("get-all"):
		return g.configGet(l, args)
	case l.has("unset") || l.has("unset-all"):
		return g.configChange(l, args, func(f *config.File, key string) (*config.File, int, error) {
			n := countKey(f, key)
			if n == 0 || n > 1 && !l.has("unset-all") {
				return nil, configUnset, nil
			}
			next, err := f.Unset(key)
			return next, 0, err
		})
	case l.has("remove-section") || l.has("rename-section"):
		return g.configSection(l, args)
	case l.has("add") || len(args) >= 2:
		if len(args) < 2 {
			g.usageError("wrong number of arguments, should be 2")
		}
		return g.configChange(l, args, func(f *config.File, key string) (*config.File, int, error) {
			value := g.configValue(l, args[1])
			switch {
			case l.has("add"):
				next, err := f.Add(args[0], value)
				return next, 0, err
			case countKey(f, key) > 1 && !l.has("replace-all"):
				g.errorf("warning: %s has multiple values\nerror: cannot overwrite multiple values with a single value\n"+
					"       Use a regexp, --add or --replace-all to change %s.\n", args[0], args[0])
				return nil, configMultiple, nil
			case l.has("replace-all"):
				next, err := f.Unset(key)
				if err == nil {
					next, err = next.Add(args[0], value)
				}
				return next, 0, err
			}
			next, err := f.Set(args[0], value)
			return next, 0, err
		})
	case len(args) == 1:
		return g.configGet(l, args)
	}
	g.usageError("no action specified")
	return statusUsage
}

func countKey(f *config.File, key string) int {
	n := 0
	for _, e := range f.Entries {
		if e.Key == key {
			n++
		}
	}
	return n
}

// configSources are the sources that the options choose.
func (g *git) configSources(l line) []source {
	if l.has("file") {
		s := &settings{}
		g.check(s.load("file", g.p.Path(l.str("file"))))
		return s.sources
	}
	all := g.anyConfig().sources
	for _, scope := range []string{scopeGlobal, scopeLocal, scopeSystem} {
		if l.has(scope) {
			return slices.DeleteFunc(slices.Clone(all), func(s source) bool { return s.scope != scope })
		}
	}
	return all
}

func (g *git) configKey(name string) string {
	key, ok := config.CanonicalKey(name)
	if !ok {
		if !strings.Contains(name, ".") {
			g.errorf("error: key does not contain a section: %s\n", name)
		} else {
			g.errorf("error: invalid key: %s\n", name)
		}
		g.close()
		g.p.Exit(configBadKey)
	}
	return key
}

func (g *git) configGet(l line, args []string) int {
	if len(args) == 0 {
		g.usageError("wrong number of arguments, should be from 1 to 2")
	}
	key := g.configKey(args[0])
	var values []string
	for _, s := range g.configSources(l) {
		for _, e := range s.file.Entries {
			if e.Key == key {
				values = append(values, g.typed(l, key, e.Value, e.HasValue))
			}
		}
	}
	if len(values) == 0 {
		if d, ok := l.get("default"); ok {
			g.print(g.typed(l, key, d, true) + endOf(l))
			return 0
		}
		return configMissing
	}
	if !l.has("get-all") {
		values = values[len(values)-1:]
	}
	for _, v := range values {
		g.print(v + endOf(l))
	}
	return 0
}

func endOf(l line) string {
	if l.has("null") {
		return "\x00"
	}
	return "\n"
}

func configType(l line) string {
	for _, t := range []string{"bool", "int", "bool-or-int", "path"} {
		if l.has(t) {
			return t
		}
	}
	return l.str("type")
}

// typed shows a value as the options ask for.
func (g *git) typed(l line, key, value string, hasValue bool) string {
	switch configType(l) {
	case "bool":
		b, ok := config.Bool(value, hasValue)
		if n, err := strconv.Atoi(value); err == nil && !ok {
			b, ok = n != 0, true
		}
		if !ok {
			g.die("bad boolean config value '%s' for '%s'", value, key)
		}
		return strconv.FormatBool(b)
	case "int", "bool-or-int":
		s := settings{sources: []source{{file: &config.File{Entries: []config.Entry{{Key: key, Value: value}}}}}}
		const none = -1 << 62
		if n := s.number(key, none); n != none {
			return strconv.Itoa(n)
		}
		if b, ok := config.Bool(value, hasValue); ok && configType(l) != "int" {
			return strconv.FormatBool(b)
		}
		g.die("bad numeric config value '%s' for '%s': invalid unit", value, key)
	case "path":
		if rest, ok := strings.CutPrefix(value, "~/"); ok {
			home, _ := g.p.Env.Get("HOME")
			return home + "/" + rest
		}
	}
	return value
}

// configValue is a value as it is written.
func (g *git) configValue(l line, value string) string {
	if t := configType(l); t == "bool" || t == "int" {
		return g.typed(l, "value", value, true)
	}
	return value
}

func (g *git) configList(l line) int {
	for _, s := range g.configSources(l) {
		for _, e := range s.file.Entries {
			g.print(origin(l, s))
			switch {
			case l.has("name-only"):
				g.print(e.Key + endOf(l))
			case !e.HasValue:
				g.print(e.Key + endOf(l))
			case l.has("null"):
				g.print(e.Key + "\n" + e.Value + "\x00")
			default:
				g.print(e.Key + "=" + e.Value + "\n")
			}
		}
	}
	return 0
}

func origin(l line, s source) string {
	text := ""
	if l.has("show-scope") {
		text = s.scope + "\t"
	}
	if l.has("show-origin") {
		if s.scope == scopeCommand {
			return text + "command line:\t"
		}
		name := s.path
		if s.scope == scopeLocal {
			name = ".git/config"
		}
		text += "file:" + name + "\t"
	}
	return text
}

func (g *git) configRegexp(l line, pattern string) int {
	re := g.compile(pattern, regex.ERE)
	found := false
	for _, s := range g.configSources(l) {
		for _, e := range s.file.Entries {
			if !re.Match([]byte(e.Key), false) {
				continue
			}
			found = true
			if l.has("name-only") || !e.HasValue {
				g.print(e.Key + endOf(l))
				continue
			}
			g.print(e.Key + " " + g.typed(l, e.Key, e.Value, e.HasValue) + endOf(l))
		}
	}
	if !found {
		return configMissing
	}
	return 0
}

// configFile is the file that changes go to.
func (g *git) configFile(l line) string {
	switch {
	case l.has("file"):
		return g.p.Path(l.str("file"))
	case l.has("system"):
		return "/etc/gitconfig"
	case l.has("global"):
		files := g.globalFiles()
		if len(files) == 0 {
			g.die("$HOME not set")
		}
		for _, f := range slices.Backward(files) {
			if _, err := sys.Stat(f); err == nil {
				return f
			}
		}
		return files[max(len(files)-2, 0)]
	}
	r, err := g.discover()
	g.check(err)
	if r == nil {
		g.die("not in a git directory")
	}
	return r.configPath()
}

// configPath is the file that the settings of the repository are in.
func (r *repo) configPath() string {
	if _, err := sys.Lstat(r.common + "/config"); err != nil {
		if _, err := sys.Lstat(r.common + ownConfig); err == nil {
			return r.common + ownConfig
		}
	}
	return r.common + "/config"
}

// isProtected reports whether a file could not be written since the sandbox keeps it as it is.
func isProtected(err error) bool {
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS)
}

func (g *git) configChange(l line, args []string, change func(f *config.File, key string) (*config.File, int, error)) int {
	if len(args) == 0 {
		g.usageError("wrong number of arguments")
	}
	key := g.configKey(args[0])
	name := g.configFile(l)
	f := g.readConfigFile(name)
	next, status, err := change(f, key)
	g.check(err)
	if next == nil {
		return status
	}
	g.writeConfigFile(name, next)
	return status
}

func (g *git) readConfigFile(name string) *config.File {
	info, err := sys.Stat(name)
	if err != nil {
		return &config.File{}
	}
	if info.Size > config.MaxSize {
		g.die("%s: configuration file is too large", name)
	}
	data, err := sys.ReadFile(name)
	g.check(err)
	f, err := config.Parse(string(data))
	if err != nil {
		g.dieErr(&fileError{name, err})
	}
	return f
}

func (g *git) writeConfigFile(name string, f *config.File) {
	err := saveConfig(name, f)
	if isProtected(err) && slices.Contains(g.globalFiles(), name) && name != g.sessionConfig() {
		if serr := saveConfig(g.sessionConfig(), f); serr == nil {
			g.errorf("warning: %s is kept as it is in this sandbox; the setting is in %s\n", name, g.sessionConfig())
			return
		}
	}
	if err != nil {
		if strings.HasSuffix(name, "/config") && !errors.Is(err, fs.ErrNotExist) {
			g.errorf("error: could not lock config file %s: %s\n", name, strerror(err))
			g.hint("The configuration of a repository in this workspace is kept as it is, since programs outside obey it.\n" +
				"For one command use 'git -c <name>=<value> ...'; for this session 'git config --global <name> <value>'.")
			g.close()
			g.p.Exit(255)
		}
		g.errorf("error: could not lock config file %s: %s\n", name, strerror(err))
		g.close()
		g.p.Exit(255)
	}
}

func saveConfig(name string, f *config.File) error {
	mode := fs.FileMode(0o644)
	if info, err := sys.Stat(name); err == nil {
		mode = info.Mode.Perm()
	}
	if _, err := sys.Stat(path.Dir(name)); err != nil {
		return err
	}
	return refs.WriteAtomic(name, []byte(f.Text()), mode)
}

func (g *git) configSection(l line, args []string) int {
	name := g.configFile(l)
	f := g.readConfigFile(name)
	if len(args) == 0 || len(args) == 1 && l.has("rename-section") {
		g.usageError("wrong number of arguments")
	}
	if !f.Has(args[0]) {
		g.die("no such section: %s", args[0])
	}
	var next *config.File
	var err error
	if l.has("rename-section") {
		next, err = f.RenameSection(args[0], args[1])
	} else {
		next, err = f.RemoveSection(args[0])
	}
	g.check(err)
	g.writeConfigFile(name, next)
	return 0
}

// changeLocal changes the configuration of the repository, if it can be.
func (r *repo) changeLocal(change func(f *config.File) (*config.File, error)) error {
	name := r.configPath()
	next, err := change(r.g.readConfigFile(name))
	if err != nil {
		return err
	}
	if err := saveConfig(name, next); err != nil {
		return err
	}
	for i := range r.cfg.sources {
		if r.cfg.sources[i].path == name {
			r.cfg.sources[i].file = next
		}
	}
	return nil
}

func (r *repo) setLocal(key, value string) error {
	return r.changeLocal(func(f *config.File) (*config.File, error) { return f.Set(key, value) })
}

func (r *repo) unsetLocal(key string) error {
	return r.changeLocal(func(f *config.File) (*config.File, error) { return f.Unset(key) })
}

func (r *repo) removeSection(name string) error {
	return r.changeLocal(func(f *config.File) (*config.File, error) {
		if !f.Has(name) {
			return f, nil
		}
		return f.RemoveSection(name)
	})
}

func (r *repo) renameSection(from, to string) error {
	return r.changeLocal(func(f *config.File) (*config.File, error) {
		if !f.Has(from) {
			return f, nil
		}
		return f.RenameSection(from, to)
	})
}

func cmdRemote(g *git) int {
	l := g.parse("verbose,v")
	r := g.open()
	args := l.operands()
	if len(args) > 0 && args[0] != "show" && args[0] != "get-url" {
		switch args[0] {
		case "add", "remove", "rm", "rename", "set-url":
			return r.changeRemote(args)
		}
		g.die("there is no network here: 'git remote %s' does not work", args[0])
	}
	seen := map[string]string{}
	var names []string
	for _, s := range r.cfg.sources {
		for _, e := range s.file.Entries {
			rest, ok := strings.CutPrefix(e.Key, "remote.")
			name, isURL := strings.CutSuffix(rest, ".url")
			if ok && isURL {
				if _, known := seen[name]; !known {
					names = append(names, name)
				}
				seen[name] = e.Value
			}
		}
	}
	slices.Sort(names)
	if len(args) > 1 && args[0] == "get-url" {
		if url, ok := seen[args[1]]; ok {
			g.print(url + "\n")
			return 0
		}
		g.fail(2, "No such remote '%s'", args[1])
	}
	for _, n := range names {
		if l.has("verbose") {
			g.printf("%s\t%s (fetch)\n%s\t%s (push)\n", n, seen[n], n, seen[n])
			continue
		}
		g.print(n + "\n")
	}
	return 0
}

// changeRemote changes what the configuration says of a remote.
func (r *repo) changeRemote(args []string) int {
	need := map[string]int{"add": 3, "remove": 2, "rm": 2, "rename": 3, "set-url": 3}[args[0]]
	if len(args) != need {
		r.g.usageError("wrong number of arguments")
	}
	name := args[1]
	_, exists := r.cfg.get("remote." + name + ".url")
	if args[0] == "add" && exists {
		r.g.fail(3, "remote %s already exists.", name)
	}
	if args[0] != "add" && !exists {
		r.g.fail(2, "No such remote: '%s'", name)
	}
	var err error
	switch args[0] {
	case "add":
		err = errors.Join(r.setLocal("remote."+name+".url", args[2]), r.setLocal("remote."+name+".fetch", "+refs/heads/*:refs/remotes/"+name+"/*"))
	case "set-url":
		err = r.setLocal("remote."+name+".url", args[2])
	case "rename":
		err = r.renameSection("remote."+name, "remote."+args[2])
		if err == nil {
			err = r.setLocal("remote."+args[2]+".fetch", "+refs/heads/*:refs/remotes/"+args[2]+"/*")
		}
	default:
		err = r.removeSection("remote." + name)
		for _, ref := range r.refs.List("refs/remotes/" + name + "/") {
			r.g.check(r.refs.Delete(ref.Name))
		}
	}
	if err != nil {
		r.g.die("could not write .git/config, which is kept as it is in this workspace: %s", strerror(err))
	}
	return 0
}
