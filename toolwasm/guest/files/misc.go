package files

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/getopt"
	"openclaw/toolwasm/guest/quantity"
	"openclaw/toolwasm/guest/quote"
	"openclaw/toolwasm/guest/sys"
)

const syncHelp = `Usage: sync [OPTION] [FILE]...
Write what is cached to the disk: everything, or the FILEs.

  -d, --data         only data
  -f, --file-system  the filesystems of the FILEs
`

const mkfifoHelp = `Usage: mkfifo [OPTION]... NAME...
Make named pipes. The sandbox has none: this always fails, and says so.

  -m, --mode=MODE   accepted
`

const shredHelp = `Usage: shred [OPTION]... FILE...
Overwrite files with random data, so that what they held is harder to recover.

  -f, --force           change modes to allow writing where necessary
  -n, --iterations=N    overwrite N times (3)
  -s, --size=N          overwrite this many bytes
  -u, --remove          remove the file afterwards
  -v, --verbose         tell about each pass
  -x, --exact           do not round sizes up to whole blocks
  -z, --zero            a last pass with zeros
`

// shredPasses is how often shred overwrites by default.
const shredPasses = 3

// readFull fills b as far as the input goes; the end of the input is no error.
func readFull(r io.Reader, b []byte) (int, error) {
	n, err := io.ReadFull(r, b)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil
	}
	return n, err
}

// sync checks its operands. The host writes through; there is nothing of the guest's to flush.
func syncCommand(p *command.Proc) int {
	_, operands := p.Options(1, getopt.Spec{
		Short: "df", Long: []getopt.Long{{Name: "data", Short: 'd'}, {Name: "file-system", Short: 'f'}},
	})
	failed := false
	for _, name := range operands {
		f, err := p.Open(name)
		if err != nil {
			p.Errorf("error opening %s: %s", quote.Always(name), sys.Strerror(err))
			failed = true
			continue
		}
		if file, ok := command.Unwrap(f).(*os.File); ok {
			_ = file.Sync()
		}
		_ = f.Close()
	}
	return statusOf(failed)
}

func mkfifo(p *command.Proc) int {
	_, operands := p.Options(1, getopt.Spec{
		Short: "m:", Unsupported: "Z", Long: []getopt.Long{{Name: "mode", Arg: getopt.Required, Short: 'm'}},
	})
	if len(operands) == 0 {
		return p.Usage(1, "missing operand")
	}
	for _, name := range operands {
		p.Errorf("cannot create fifo %s: Operation not supported", quote.Always(name))
	}
	return 1
}

// shredder is a running shred.
type shredder struct {
	p       *command.Proc
	passes  int
	size    int64 // -1: the file's
	remove  bool
	force   bool
	verbose bool
	zero    bool
	exact   bool
}

func shred(p *command.Proc) int {
	opts, operands := p.Options(1, getopt.Spec{
		Short: "fn:s:uvxz", UnsupLong: []string{"random-source"},
		Long: []getopt.Long{
			{Name: "force", Short: 'f'},
			{Name: "iterations", Arg: getopt.Required, Short: 'n'},
			{Name: "size", Arg: getopt.Required, Short: 's'},
			{Name: "remove", Arg: getopt.Optional, Short: 'u'},
			{Name: "verbose", Short: 'v'},
			{Name: "exact", Short: 'x'},
			{Name: "zero", Short: 'z'},
		},
	})
	s := &shredder{p: p, passes: shredPasses, size: -1}
	for _, o := range opts {
		switch o.Name {
		case "f":
			s.force = true
		case "n":
			n, err := quantity.Parse(o.Arg, "")
			if err != nil {
				p.Errorf("invalid number of passes: %s%s", quote.Locale(o.Arg), quantity.Cause(err))
				return 1
			}
			s.passes = int(n)
		case "s":
			n, err := quantity.Parse(o.Arg, "bcB"+quantity.Units)
			if err != nil {
				p.Errorf("invalid file size: %s%s", quote.Locale(o.Arg), quantity.Cause(err))
				return 1
			}
			s.size = n
		case "u":
			s.remove = true
		case "v":
			s.verbose = true
		case "x":
			s.exact = true
		case "z":
			s.zero = true
		}
	}
	if len(operands) == 0 {
		return p.Usage(1, "missing file operand")
	}
	failed := false
	for _, name := range operands {
		failed = !s.file(name) || failed
	}
	return statusOf(failed)
}

func (s *shredder) file(name string) bool {
	p := s.p
	f, err := p.OpenFile(name, os.O_WRONLY, 0)
	if err != nil && s.force {
		if sys.Chmod(p.Path(name), 0o600) == nil {
			f, err = p.OpenFile(name, os.O_WRONLY, 0)
		}
	}
	if err != nil {
		p.Errorf("%s: failed to open for writing: %s", quote.File(name), sys.Strerror(err))
		return false
	}
	defer f.Close()
	file, ok := command.Unwrap(f).(*os.File)
	if !ok {
		p.Errorf("%s: invalid file type", quote.File(name))
		return false
	}
	info, err := sys.Fstat(file)
	if err != nil || !info.IsRegular() {
		p.Errorf("%s: invalid file type", quote.File(name))
		return false
	}
	size := s.size
	if size < 0 {
		size = info.Size
		if !s.exact {
			size = (size + ioBlock - 1) / ioBlock * ioBlock
		}
	}
	total := s.passes
	if s.zero {
		total++
	}
	for i := range total {
		if err := s.pass(file, name, size, i, total); err != nil {
			p.Errorf("%s: error writing: %s", quote.File(name), sys.Strerror(err))
			return false
		}
	}
	if s.remove {
		if err := sys.Unlink(p.Path(name)); err != nil {
			return p.Fail(name, err) == 0
		}
		if s.verbose {
			fmt.Fprintf(p.Stderr, "shred: %s: removed\n", quote.File(name))
		}
	}
	return true
}

func (s *shredder) pass(f *os.File, name string, size int64, i, total int) error {
	zeros := s.zero && i == total-1
	if s.verbose {
		kind := "random"
		if zeros {
			kind = "000000"
		}
		s.p.Errorf("%s: pass %d/%d (%s)...", quote.File(name), i+1, total, kind)
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	buf := make([]byte, copyBuffer)
	for size > 0 {
		b := buf[:min(size, copyBuffer)]
		if !zeros {
			_, _ = rand.Read(b) // it never fails
		}
		if _, err := f.Write(b); err != nil {
			return err
		}
		size -= int64(len(b))
		s.p.Yield()
	}
	return f.Sync()
}
