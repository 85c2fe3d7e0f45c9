package files

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"strings"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/getopt"
	"openclaw/toolwasm/guest/quote"
	"openclaw/toolwasm/guest/sys"
)

const mktempHelp = `Usage: mktemp [OPTION]... [TEMPLATE]
Make a temporary file or directory and print its name. TEMPLATE holds at least three X in a row in its last
component; without one it is tmp.XXXXXXXXXX in the directory for temporary files.

  -d, --directory     make a directory
  -p, --tmpdir[=DIR]  put it in DIR; without DIR in $TMPDIR, or else /tmp
  -q, --quiet         no message when it cannot be made
      --suffix=SUFF   append SUFF to TEMPLATE
  -t                  TEMPLATE is one component in $TMPDIR, or else -p's DIR, or else /tmp
  -u, --dry-run       only print a name
`

// Names are tried until one is free.
const (
	mktempTries   = 1000
	mktempMinX    = 3
	mktempLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
)

// tempMaker is a running mktemp.
type tempMaker struct {
	p      *command.Proc
	dir    bool
	dry    bool
	quiet  bool
	suffix string
	hasSuf bool
}

func mktemp(p *command.Proc) int {
	opts, operands := p.Options(1, getopt.Spec{
		Short: "dp:qtuV",
		Long: []getopt.Long{
			{Name: "directory", Short: 'd'},
			{Name: "tmpdir", Arg: getopt.Optional},
			{Name: "quiet", Short: 'q'},
			{Name: "suffix", Arg: getopt.Required},
			{Name: "dry-run", Short: 'u'},
		},
	})
	m := &tempMaker{p: p}
	inTmp, legacy, where := false, false, ""
	for _, o := range opts {
		switch o.Name {
		case "d":
			m.dir = true
		case "p", "tmpdir":
			inTmp, where = true, o.Arg
		case "q":
			m.quiet = true
		case "suffix":
			m.suffix, m.hasSuf = o.Arg, true
		case "t":
			inTmp, legacy = true, true
		case "u":
			m.dry = true
		}
	}
	if len(operands) > 1 {
		return p.Usage(1, "too many templates")
	}
	template := "tmp.XXXXXXXXXX"
	if len(operands) == 1 {
		template = operands[0]
	} else {
		inTmp = true
	}
	template = m.withSuffix(template)
	if inTmp {
		template = m.place(template, where, legacy)
	}
	return m.run(template)
}

func (m *tempMaker) fail(format string, args ...any) {
	m.p.Errorf(format, args...)
	m.p.Exit(1)
}

// withSuffix splits the template into what is replaced and what follows, and checks both.
func (m *tempMaker) withSuffix(template string) string {
	if m.hasSuf {
		if !strings.HasSuffix(template, "X") {
			m.fail("with --suffix, template %s must end in X", quote.Locale(template))
		}
	} else if i := strings.LastIndexByte(template, 'X'); i >= 0 {
		m.suffix, template = template[i+1:], template[:i+1]
	}
	if strings.Contains(m.suffix, "/") {
		m.fail("invalid suffix %s, contains directory separator", quote.Locale(m.suffix))
	}
	if countX(template) < mktempMinX {
		m.fail("too few X's in template %s", quote.Locale(template+m.suffix))
	}
	return template
}

func countX(s string) int { return len(s) - len(strings.TrimRight(s, "X")) }

func (m *tempMaker) place(template, where string, legacy bool) string {
	env, _ := m.p.Env.Get("TMPDIR")
	dir := where
	if legacy {
		if strings.Contains(template, "/") {
			m.fail("invalid template, %s, contains directory separator", quote.Locale(template+m.suffix))
		}
		if env != "" {
			dir = env
		}
	} else if strings.HasPrefix(template, "/") {
		m.fail("invalid template, %s; with --tmpdir, it may not be absolute", quote.Locale(template+m.suffix))
	}
	if dir == "" {
		dir = env
	}
	if dir == "" {
		dir = "/tmp"
	}
	return joinPath(dir, template)
}

func (m *tempMaker) run(template string) int {
	n := countX(template)
	stem := template[:len(template)-n]
	var err error
	for range mktempTries {
		name := stem + randomLetters(n) + m.suffix
		if err = m.create(name); err == nil {
			_, _ = m.p.Out().WriteString(name + "\n")
			return 0
		}
		if !errors.Is(err, fs.ErrExist) {
			break
		}
	}
	if !m.quiet {
		what := "file"
		if m.dir {
			what = "directory"
		}
		m.p.Errorf("failed to create %s via template %s: %s", what, quote.Locale(template+m.suffix), sys.Strerror(err))
	}
	return 1
}

func (m *tempMaker) create(name string) error {
	p := m.p
	switch {
	case m.dry:
		if exists(p, name) {
			return fs.ErrExist
		}
		return nil
	case m.dir:
		return sys.Mkdir(p.Path(name), 0o700)
	}
	f, err := p.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

func randomLetters(n int) string {
	b := make([]byte, n)
	_, _ = rand.Read(b) // it never fails
	for i := range b {
		b[i] = mktempLetters[int(b[i])%len(mktempLetters)]
	}
	return string(b)
}
