package system

import (
	"bufio"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"strings"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/getopt"
	"openclaw/toolwasm/guest/sys"
)

const envsubstHelp = `Usage: envsubst [OPTION] [TEXT]
Copy standard input with $NAME and ${NAME} replaced by what the environment has for them, nothing when it has none.
With TEXT only the variables that it refers to are replaced.

  -v, --variables   write the names of the variables in TEXT, one a line, and read nothing
`

const uuidgenHelp = `Usage: uuidgen [OPTION]
Write a new random UUID.

  -r, --random   accepted: all of them are random
`

func envsubstCommand(p *command.Proc) int {
	opts, operands := p.Options(1, getopt.Spec{Short: "v", Long: []getopt.Long{{Name: "variables", Short: 'v'}}})
	if len(operands) > 1 {
		p.Errorf("too many arguments")
		return 1
	}
	if len(opts) > 0 && len(operands) == 0 {
		p.Errorf("missing arguments")
		return 1
	}
	var only map[string]bool
	out := p.Out()
	if len(operands) > 0 {
		only = map[string]bool{}
		substitute(io.Discard, operands[0], func(name string) (string, bool) {
			if len(opts) > 0 {
				_, _ = out.WriteString(name + "\n")
			}
			only[name] = true
			return "", true
		})
	}
	if len(opts) > 0 {
		return 0
	}
	lookup := func(name string) (string, bool) {
		if only != nil && !only[name] {
			return "", false
		}
		val, _ := p.Env.Get(name)
		return val, true
	}
	in := bufio.NewReader(p.Stdin)
	for {
		line, err := in.ReadString('\n')
		substitute(out, line, lookup)
		if errors.Is(err, io.EOF) {
			return 0
		}
		if err != nil {
			p.Errorf("standard input: %s", sys.Strerror(err))
			return 1
		}
	}
}

// substitute writes text with its variables replaced; those that lookup does not know stay as they are.
func substitute(w io.Writer, text string, lookup func(name string) (string, bool)) {
	for {
		at := strings.IndexByte(text, '$')
		if at < 0 {
			break
		}
		_, _ = io.WriteString(w, text[:at])
		text = text[at:]
		name, size := variable(text)
		val, ok := "$", false
		if size > 0 {
			val, ok = lookup(name)
		}
		switch {
		case size == 0:
			size = 1
		case !ok:
			val = text[:size]
		}
		_, _ = io.WriteString(w, val)
		text = text[size:]
	}
	_, _ = io.WriteString(w, text)
}

// variable reads $NAME or ${NAME} at the beginning of text; size is 0 when there is neither.
func variable(text string) (name string, size int) {
	from := 1
	braced := strings.HasPrefix(text, "${")
	if braced {
		from = 2
	}
	end := from
	for end < len(text) && (text[end] == '_' || isLetter(text[end]) || end > from && text[end] >= '0' && text[end] <= '9') {
		end++
	}
	switch {
	case end == from || braced && (end == len(text) || text[end] != '}'):
		return "", 0
	case braced:
		return text[from:end], end + 1
	}
	return text[from:end], end
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func uuidgenCommand(p *command.Proc) int {
	_, operands := p.Options(1, getopt.Spec{
		Short: "r", Long: []getopt.Long{{Name: "random", Short: 'r'}},
		Unsupported: "tnNmsxC", UnsupLong: []string{"time", "namespace", "name", "md5", "sha1", "hex", "count"},
	})
	if len(operands) > 0 {
		return p.Usage(1, "unexpected argument: %s", operands[0])
	}
	var b [16]byte
	_, _ = rand.Read(b[:])
	const version4, variant = 0x40, 0x80
	b[6] = b[6]&0x0f | version4
	b[8] = b[8]&0x3f | variant
	fmt.Fprintf(p.Out(), "%x-%x-%x-%x-%x\n", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
	return 0
}
