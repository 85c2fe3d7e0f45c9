package files

import (
	"errors"
	"io/fs"
	"math"
	"os"
	"strings"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/getopt"
	"openclaw/toolwasm/guest/quantity"
	"openclaw/toolwasm/guest/quote"
	"openclaw/toolwasm/guest/sys"
)

const truncateHelp = `Usage: truncate OPTION... FILE...
Shrink or extend files to a size; what is added reads as zeros.

  -c, --no-create       make no files
  -o, --io-blocks       SIZE counts I/O blocks
  -r, --reference=FILE  use FILE's size, or count SIZE from it
  -s, --size=SIZE       a number with a suffix (K M G …, KB MB …), after a sign if relative:
                        + extend by, - reduce by, < at most, > at least, / round down to, % round up to a multiple
`

// ioBlock is the size of an I/O block for -o and stat's %o.
const ioBlock = 4096

// sizeChange is a parsed SIZE of truncate.
type sizeChange struct {
	op byte // 0 for absolute
	n  int64
}

func (c sizeChange) apply(size int64) (int64, bool) {
	n := c.n
	switch c.op {
	case '+':
		if size > math.MaxInt64-n {
			return 0, false
		}
		return size + n, true
	case '-':
		return max(size-n, 0), true
	case '<':
		return min(size, n), true
	case '>':
		return max(size, n), true
	case '/':
		return size / n * n, true
	case '%':
		if rest := size % n; rest != 0 {
			if size > math.MaxInt64-n {
				return 0, false
			}
			return size + n - rest, true
		}
		return size, true
	}
	return n, true
}

func truncate(p *command.Proc) int {
	opts, operands := p.Options(1, getopt.Spec{
		Short: "cor:s:",
		Long: []getopt.Long{
			{Name: "no-create", Short: 'c'},
			{Name: "io-blocks", Short: 'o'},
			{Name: "reference", Arg: getopt.Required, Short: 'r'},
			{Name: "size", Arg: getopt.Required, Short: 's'},
		},
	})
	var change sizeChange
	noCreate, blocks, haveSize, reference := false, false, false, ""
	for _, o := range opts {
		switch o.Name {
		case "c":
			noCreate = true
		case "o":
			blocks = true
		case "r":
			reference = o.Arg
		case "s":
			c, msg := parseSizeChange(o.Arg)
			if msg != "" {
				p.Errorf("%s", msg)
				return 1
			}
			change, haveSize = c, true
		}
	}
	switch {
	case !haveSize && reference == "":
		return p.Usage(1, "you must specify either %s or %s", quote.Locale("--size"), quote.Locale("--reference"))
	case haveSize && reference != "" && change.op == 0:
		return p.Usage(1, "you must specify a relative %s with %s", quote.Locale("--size"), quote.Locale("--reference"))
	case blocks && !haveSize:
		return p.Usage(1, "%s was specified but %s was not", quote.Locale("--io-blocks"), quote.Locale("--size"))
	case len(operands) == 0:
		return p.Usage(1, "missing file operand")
	}
	if blocks {
		change.n *= ioBlock
	}
	base := int64(-1)
	if reference != "" {
		info, err := p.Stat(reference)
		if err != nil {
			p.Errorf("cannot stat %s: %s", quote.Always(reference), sys.Strerror(err))
			return 1
		}
		base = info.Size
		if !haveSize {
			change = sizeChange{op: '+'}
		}
	}
	failed := false
	for _, name := range operands {
		failed = !truncateOne(p, name, change, base, noCreate) || failed
	}
	return statusOf(failed)
}

func truncateOne(p *command.Proc, name string, change sizeChange, base int64, noCreate bool) bool {
	info, err := p.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		if noCreate {
			return true
		}
		f, cerr := p.OpenFile(name, os.O_WRONLY|os.O_CREATE, 0o666)
		if cerr == nil {
			_ = f.Close()
		}
		err = cerr
	}
	if err == nil && info.IsDir() {
		p.Errorf("cannot open %s for writing: Is a directory", quote.Always(name))
		return false
	}
	if err != nil {
		p.Errorf("cannot open %s for writing: %s", quote.Always(name), sys.Strerror(err))
		return false
	}
	if base < 0 {
		base = info.Size
	}
	size, ok := change.apply(base)
	if !ok {
		p.Errorf("overflow extending size of file %s", quote.Always(name))
		return false
	}
	if err := sys.Truncate(p.Path(name), size); err != nil {
		p.Errorf("failed to truncate %s at %d bytes: %s", quote.Always(name), size, sys.Strerror(err))
		return false
	}
	return true
}

func parseSizeChange(s string) (c sizeChange, msg string) {
	text := strings.TrimLeft(s, " ")
	if text != "" && strings.ContainsRune("<>/%", rune(text[0])) {
		c.op = text[0]
		text = strings.TrimLeft(text[1:], " ")
	}
	if text != "" && (text[0] == '+' || text[0] == '-') {
		if c.op != 0 {
			return c, "multiple relative modifiers specified"
		}
		c.op = text[0]
		text = text[1:]
	}
	n, err := quantity.Parse(text, quantity.Loose)
	if err != nil {
		return c, "Invalid number: " + quote.Locale(s) + quantity.Cause(err)
	}
	if n == 0 && (c.op == '/' || c.op == '%') {
		return c, "division by zero"
	}
	c.n = n
	return c, ""
}
