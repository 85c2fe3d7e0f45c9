package text

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/getopt"
	"openclaw/toolwasm/guest/quote"
	"openclaw/toolwasm/guest/sys"
	"openclaw/toolwasm/guest/text/lines"
)

// copyBuffer is the size of the pieces in which streams are passed on.
const copyBuffer = 64 << 10

// eachInput runs do on every operand in turn, standard input when there is none, and reports what cannot be opened
// or read as "name: file: cause". It returns the exit status.
func eachInput(p *command.Proc, operands []string, do func(name string, f command.File) error) int {
	if len(operands) == 0 {
		operands = []string{"-"}
	}
	status := 0
	for _, name := range operands {
		if err := withInput(p, name, func(f command.File) error { return do(name, f) }); err != nil {
			status = fail(p, name, err)
		}
	}
	return status
}

// withInput opens one operand for do.
func withInput(p *command.Proc, name string, do func(command.File) error) error {
	f, err := p.OpenArg(name)
	if err != nil {
		return err
	}
	defer f.Close()
	return do(f)
}

// eachLine runs do on every record of every operand.
func eachLine(p *command.Proc, operands []string, delim byte, do func(line []byte, terminated bool)) int {
	return eachInput(p, operands, func(_ string, f command.File) error {
		r := lines.New(p, f, delim)
		for {
			line, ok := r.Next()
			if !ok {
				return r.Err()
			}
			do(line, r.Terminated())
		}
	})
}

// regular returns the file behind a stream when it is one that can be positioned.
func regular(s any) (*os.File, sys.Info, bool) {
	f, ok := command.Unwrap(s).(*os.File)
	if !ok {
		return nil, sys.Info{}, false
	}
	info, err := sys.Fstat(f)
	if err != nil || !info.IsRegular() {
		return nil, sys.Info{}, false
	}
	return f, info, true
}

// giveBack positions a seekable stream n bytes back, so that the next reader sees what this one did not use.
func giveBack(s any, n int) {
	if f, _, ok := regular(s); ok && n > 0 {
		_, _ = f.Seek(int64(-n), io.SeekCurrent)
	}
}

// pass copies a stream to standard output as it comes.
func pass(p *command.Proc, r io.Reader) error {
	buf := make([]byte, copyBuffer)
	for {
		p.Yield()
		n, err := r.Read(buf)
		if n > 0 {
			if _, werr := p.Out().Write(buf[:n]); werr != nil {
				return nil // reported when the command ends
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// fail reports err about a file, whose name is quoted where it needs to be, and returns 1.
func fail(p *command.Proc, name string, err error) int { return p.Fail(quote.File(name), err) }

// isDirectory reports whether a file could not be read because it is a directory.
func isDirectory(err error) bool { return errors.Is(err, syscall.EISDIR) }

// createOutput opens a file that a command writes its result to.
func createOutput(p *command.Proc, name string) (command.File, error) {
	return p.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, fs.FileMode(0o666))
}

// hasOption reports whether an option was given.
func hasOption(opts []getopt.Option, name string) bool {
	for _, o := range opts {
		if o.Name == name {
			return true
		}
	}
	return false
}
