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
	quiet   bool
	end     byte
	to      string // names are printed relative to it
	base    string // when they lie below it
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
	r := &pathPrinter{p: p, mode: resolveAllButLast, end: '\n'}
	for _, o := range opts {
		r.option(o)
	}
	if len(operands) == 0 {
		return p.Usage(1, "missing operand")
	}
	r.settleBase()
	failed := false
	for _, name := range operands {
		failed = !r.print(name) || failed
	}
	return statusOf(failed)
}

func (r *pathPrinter) option(o getopt.Option) {
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
		r.quiet = true
	case "relative-to":
		r.to = o.Arg
	case "relative-base":
		r.base = o.Arg
	case "z":
		r.end = 0
	}
}

// settleBase resolves the directories that names are relative to.
func (r *pathPrinter) settleBase() {
	r.to, r.base = r.canonicalDir(r.to), r.canonicalDir(r.base)
	if r.base != "" && r.to == "" {
		r.to = r.base
	}
	if r.base != "" && !below(r.base, r.to) {
		r.to, r.base = "", "" // the base does not hold where names would start: all stay absolute
	}
}

func (r *pathPrinter) canonicalDir(name string) string {
	if name == "" {
		return ""
	}
	dir, err := r.canonical(name)
	if err != nil {
		r.p.Errorf("%s: %s", name, sys.Strerror(err))
		r.p.Exit(1)
	}
	return dir
}

// print prints one name and reports whether it could.
func (r *pathPrinter) print(name string) bool {
	full, err := r.canonical(name)
	if err != nil {
		if !r.quiet {
			r.p.Errorf("%s: %s", nameOrEmpty(name), sys.Strerror(err))
		}
		return false
	}
	if r.to != "" && (r.base == "" || below(r.base, full)) {
		full = relativeTo(r.to, full)
	}
	_, _ = r.p.Out().WriteString(full)
	_ = r.p.Out().WriteByte(r.end)
	return true
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
