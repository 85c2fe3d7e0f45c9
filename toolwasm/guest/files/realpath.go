package files

import (
	"strings"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/getopt"
	"openclaw/toolwasm/guest/sys"
)

const readlinkHelp = `Usage: readlink [OPTION]... FILE...
Print what symbolic links hold, or canonical names.

  -e, --canonicalize-existing  the canonical name; every component must exist
  -f, --canonicalize           the canonical name; all but the last component must exist
  -m, --canonicalize-missing   the canonical name; nothing needs to exist
  -n, --no-newline             no newline after the last name
  -q, -s, --quiet, --silent    no error messages (the default)
  -v, --verbose                error messages
  -z, --zero                   end each name with NUL instead of a newline
`

const realpathHelp = `Usage: realpath [OPTION]... FILE...
Print the canonical absolute name of each FILE; all but the last component must exist.

  -e, --canonicalize-existing  every component must exist
  -L, --logical                resolve '..' before symbolic links
  -m, --canonicalize-missing   nothing needs to exist
  -P, --physical               resolve symbolic links as they are met (the default)
  -q, --quiet                  no error messages
      --relative-to=DIR        print the way from DIR
      --relative-base=DIR      print names below DIR relative to it, others absolute
  -s, --strip, --no-symlinks   do not resolve symbolic links
  -z, --zero                   end each name with NUL instead of a newline
`

func readlink(p *command.Proc) int {
	opts, operands := p.Options(1, getopt.Spec{
		Short: "efmnqsvz",
		Long: []getopt.Long{
			{Name: "canonicalize", Short: 'f'},
			{Name: "canonicalize-existing", Short: 'e'},
			{Name: "canonicalize-missing", Short: 'm'},
			{Name: "no-newline", Short: 'n'},
			{Name: "quiet", Short: 'q'},
			{Name: "silent", Short: 's'},
			{Name: "verbose", Short: 'v'},
			{Name: "zero", Short: 'z'},
		},
	})
	canonical, verbose, noNewline, end := false, false, false, byte('\n')
	mode := resolveExisting
	for _, o := range opts {
		switch o.Name {
		case "e":
			canonical, mode = true, resolveExisting
		case "f":
			canonical, mode = true, resolveAllButLast
		case "m":
			canonical, mode = true, resolveAny
		case "n":
			noNewline = true
		case "q", "s":
			verbose = false
		case "v":
			verbose = true
		case "z":
			end = 0
		}
	}
	if len(operands) == 0 {
		return p.Usage(1, "missing operand")
	}
	if noNewline && len(operands) > 1 {
		p.Errorf("ignoring --no-newline with multiple arguments")
		noNewline = false
	}
	status := 0
	for _, name := range operands {
		var text string
		var err error
		if canonical {
			text, err = resolve(p, name, mode)
		} else {
			text, err = sys.Readlink(p.Path(name))
		}
		if err != nil {
			status = 1
			if verbose {
				p.Errorf("%s: %s", name, sys.Strerror(err))
			}
			continue
		}
		out := p.Out()
		_, _ = out.WriteString(text)
		if !noNewline {
			_ = out.WriteByte(end)
		}
	}
	return status
}

// pathPrinter is a running realpath.
type pathPrinter struct {
	p       *command.Proc
	mode    resolveMode
	logical bool
	strip   bool
}

func realpath(p *command.Proc) int {
	opts, operands := p.Options(1, getopt.Spec{
		Short: "eLmPqsz",
		Long: []getopt.Long{
			{Name: "canonicalize-existing", Short: 'e'},
			{Name: "logical", Short: 'L'},
			{Name: "canonicalize-missing", Short: 'm'},
			{Name: "physical", Short: 'P'},
			{Name: "quiet", Short: 'q'},
			{Name: "relative-to", Arg: getopt.Required},
			{Name: "relative-base", Arg: getopt.Required},
			{Name: "strip", Short: 's'},
			{Name: "no-symlinks", Short: 's'},
			{Name: "zero", Short: 'z'},
		},
	})
	r := &pathPrinter{p: p, mode: resolveAllButLast}
	quiet, end, to, base := false, byte('\n'), "", ""
	for _, o := range opts {
		switch o.Name {
		case "e":
			r.mode = resolveExisting
		case "m":
			r.mode = resolveAny
		case "L":
			r.logical, r.strip = true, false
		case "P":
			r.logical, r.strip = false, false
		case "s":
			r.strip = true
		case "q":
			quiet = true
		case "relative-to":
			to = o.Arg
		case "relative-base":
			base = o.Arg
		case "z":
			end = 0
		}
	}
	if len(operands) == 0 {
		return p.Usage(1, "missing operand")
	}
	canonicalDir := func(name string) string {
		if name == "" {
			return ""
		}
		dir, err := r.canonical(name)
		if err != nil {
			p.Errorf("%s: %s", name, sys.Strerror(err))
			p.Exit(1)
		}
		return dir
	}
	to, base = canonicalDir(to), canonicalDir(base)
	if base != "" && to == "" {
		to = base
	}
	if base != "" && !below(base, to) {
		to, base = "", "" // the base does not hold where names would start: all stay absolute
	}
	status := 0
	for _, name := range operands {
		full, err := r.canonical(name)
		if err != nil {
			status = 1
			if !quiet {
				p.Errorf("%s: %s", nameOrEmpty(name), sys.Strerror(err))
			}
			continue
		}
		if to != "" && (base == "" || below(base, full)) {
			full = relativeTo(to, full)
		}
		_, _ = p.Out().WriteString(full)
		_ = p.Out().WriteByte(end)
	}
	return status
}

func nameOrEmpty(name string) string {
	if name == "" {
		return "''"
	}
	return name
}

// below reports whether name is dir or lies in it.
func below(dir, name string) bool {
	return dir == "/" || name == dir || strings.HasPrefix(name, dir+"/")
}

func (r *pathPrinter) canonical(name string) (string, error) {
	if name == "" || (!r.strip && !r.logical) {
		return resolve(r.p, name, r.mode)
	}
	clean := cleanLexically(r.p.Path(name))
	if !r.strip {
		return resolve(r.p, clean, r.mode)
	}
	if r.mode == resolveAny {
		return clean, nil
	}
	if r.mode == resolveExisting {
		_, err := r.p.Stat(clean)
		return clean, err
	}
	_, err := r.p.Stat(dirName(clean))
	return clean, err
}

func cleanLexically(full string) string {
	var done []string
	for _, c := range components(full) {
		switch {
		case c == ".":
		case c == ".." && len(done) > 0:
			done = done[:len(done)-1]
		case c == "..":
		default:
			done = append(done, c)
		}
	}
	return "/" + strings.Join(done, "/")
}
