package files

import (
	"bufio"
	"io"
	"strings"
	"syscall"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/quote"
	"openclaw/toolwasm/guest/sys"
)

// pair is one source and where it goes.
type pair struct{ src, dst string }

// targets are the options that say how cp, mv, ln and install read their operands.
type targets struct {
	dir       string // -t
	noDir     bool   // -T
	noDeref   bool   // ln -n: a link to a directory is no directory
	trimSlash bool   // --strip-trailing-slashes
	parents   bool   // cp --parents
}

// plan pairs sources and destinations, or ends the command with a usage error. A name for which into is true is a
// destination directory.
func (t *targets) plan(p *command.Proc, operands []string) []pair {
	if t.dir != "" && t.noDir {
		p.Exit(p.Usage(1, "cannot combine --target-directory (-t) and --no-target-directory (-T)"))
	}
	if len(operands) == 0 {
		p.Exit(p.Usage(1, "missing file operand"))
	}
	if t.trimSlash {
		for i, o := range operands {
			operands[i] = trimSlashes(o)
		}
	}
	if t.dir != "" {
		t.requireDirectory(p, t.dir, "target directory ")
		return t.into(t.dir, operands)
	}
	if len(operands) == 1 {
		p.Exit(p.Usage(1, "missing destination file operand after %s", quote.Always(operands[0])))
	}
	last := operands[len(operands)-1]
	if t.noDir {
		if len(operands) > 2 {
			p.Exit(p.Usage(1, "extra operand %s", quote.Always(operands[2])))
		}
		return []pair{{operands[0], last}}
	}
	if t.isDirectory(p, last) {
		return t.into(last, operands[:len(operands)-1])
	}
	if len(operands) > 2 || t.parents {
		t.requireDirectory(p, last, "target ")
	}
	return []pair{{operands[0], last}}
}

func (t *targets) isDirectory(p *command.Proc, name string) bool {
	if t.noDeref {
		info, err := p.Lstat(name)
		return err == nil && info.IsDir()
	}
	return isDirectory(p, name)
}

func (t *targets) requireDirectory(p *command.Proc, name, what string) {
	info, err := p.Stat(name)
	if err == nil && !info.IsDir() {
		err = syscall.ENOTDIR
	}
	if err != nil {
		p.Errorf("%s%s: %s", what, quote.Always(name), sys.Strerror(err))
		p.Exit(1)
	}
}

func (t *targets) into(dir string, sources []string) []pair {
	pairs := make([]pair, 0, len(sources))
	for _, s := range sources {
		name := baseName(s)
		if t.parents {
			name = strings.TrimLeft(trimSlashes(s), "/")
		}
		if name == ".." {
			name = "."
		}
		pairs = append(pairs, pair{s, joinPath(dir, name)})
	}
	return pairs
}

// confirm asks a question on standard error and reads the answer from standard input.
func confirm(p *command.Proc, question string) bool {
	_ = p.Flush()
	_, _ = io.WriteString(p.Stderr, p.Name+": "+question)
	answer := readAnswer(p)
	return strings.HasPrefix(answer, "y") || strings.HasPrefix(answer, "Y")
}

// readAnswer reads one line byte by byte: what follows belongs to the next question or command.
func readAnswer(p *command.Proc) string {
	if p.Stdin == nil {
		return ""
	}
	r := bufio.NewReaderSize(io.LimitReader(oneByte{p.Stdin}, maxAnswer), 16)
	line, _ := r.ReadString('\n')
	return strings.TrimSpace(line)
}

// maxAnswer bounds the answer to a question.
const maxAnswer = 4096

// oneByte reads single bytes, so that a buffer above it takes no more than it gives out. It ends at a newline.
type oneByte struct{ r io.Reader }

func (o oneByte) Read(b []byte) (int, error) {
	if len(b) == 0 {
		return 0, nil
	}
	return o.r.Read(b[:1])
}
