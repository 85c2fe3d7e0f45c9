package files

import (
	"strings"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/files/perm"
	"openclaw/toolwasm/guest/sys"
)

// palette holds the colours of --color, by the two letters that LS_COLORS uses and by suffix.
type palette struct {
	codes    map[string]string
	suffixes []suffixColor
	begun    bool
}

type suffixColor struct{ suffix, code string }

const resetColor = "\x1b[0m"

// knowsColor reports whether the environment speaks of a terminal that has colours.
func knowsColor(env command.Environ) bool {
	if v, ok := env.Get("LS_COLORS"); ok && v != "" {
		return true
	}
	if v, ok := env.Get("COLORTERM"); ok && v != "" {
		return true
	}
	term, _ := env.Get("TERM")
	if strings.Contains(term, "color") {
		return true
	}
	for _, family := range []string{"xterm", "screen", "tmux", "linux", "rxvt", "vt100", "vt220", "ansi", "alacritty", "konsole", "cygwin", "putty", "st"} {
		if term == family || strings.HasPrefix(term, family+"-") {
			return true
		}
	}
	return false
}

// newPalette reads LS_COLORS over the built-in colours.
func newPalette(env command.Environ) *palette {
	c := &palette{codes: map[string]string{
		"di": "01;34", "ln": "01;36", "pi": "33", "so": "01;35", "bd": "01;33", "cd": "01;33", "ex": "01;32",
		"su": "37;41", "sg": "30;43", "tw": "30;42", "ow": "34;42", "st": "37;44",
	}}
	spec, _ := env.Get("LS_COLORS")
	for item := range strings.SplitSeq(spec, ":") {
		key, code, ok := strings.Cut(item, "=")
		if !ok {
			continue
		}
		if suffix, ok := strings.CutPrefix(key, "*"); ok {
			c.suffixes = append(c.suffixes, suffixColor{suffix, code})
		} else {
			c.codes[key] = code
		}
	}
	return c
}

// code is the colour for a file, or "".
func (c *palette) code(name string, i *sys.Info) string {
	bits := perm.Bits(i.Mode)
	switch perm.TypeLetter(i.Mode) {
	case 'd':
		return c.directory(bits)
	case 'l':
		return c.codes["ln"]
	case 'p':
		return c.codes["pi"]
	case 's':
		return c.codes["so"]
	case 'b':
		return c.codes["bd"]
	case 'c':
		return c.codes["cd"]
	}
	switch {
	case bits&perm.Setuid != 0 && c.codes["su"] != "":
		return c.codes["su"]
	case bits&perm.Setgid != 0 && c.codes["sg"] != "":
		return c.codes["sg"]
	case bits&perm.AnyX != 0:
		return c.codes["ex"]
	}
	for k := len(c.suffixes) - 1; k >= 0; k-- {
		if strings.HasSuffix(strings.ToLower(name), strings.ToLower(c.suffixes[k].suffix)) {
			return c.suffixes[k].code
		}
	}
	return c.codes["fi"]
}

func (c *palette) directory(bits uint32) string {
	sticky, open := bits&perm.Sticky != 0, bits&0o002 != 0
	switch {
	case sticky && open && c.codes["tw"] != "":
		return c.codes["tw"]
	case open && c.codes["ow"] != "":
		return c.codes["ow"]
	case sticky && c.codes["st"] != "":
		return c.codes["st"]
	}
	return c.codes["di"]
}

// paint colours the name of an entry. A nil palette leaves it as it is.
func (c *palette) paint(name string, e *lsEntry) string {
	if c == nil || e.err != nil {
		return name
	}
	code := c.code(e.name, &e.info)
	if e.info.IsLink() {
		switch orphan := c.codes["or"]; {
		case code == "target" && e.referent != nil:
			code = c.code(e.target, e.referent)
		case e.referent == nil && orphan != "":
			code = orphan
		}
	}
	return c.wrap(name, code)
}

// paintTarget colours what a link leads to.
func (c *palette) paintTarget(target string, e *lsEntry) string {
	if e.referent == nil {
		return c.wrap(target, c.codes["mi"])
	}
	return c.wrap(target, c.code(e.target, e.referent))
}

func (c *palette) wrap(name, code string) string {
	if code == "" || code == "0" || code == "00" {
		return name
	}
	start := ""
	if !c.begun {
		c.begun = true
		start = resetColor
	}
	return start + "\x1b[" + code + "m" + name + resetColor
}
