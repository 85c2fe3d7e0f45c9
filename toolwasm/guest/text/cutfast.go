package text

import (
	"bytes"
	"math"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/text/lines"
)

// eachBlock runs do on blocks of whole lines of every operand. do appends what is to be written to out.
func eachBlock(p *command.Proc, operands []string, delim byte, do func(out, block []byte) []byte) int {
	out := make([]byte, 0, copyBuffer)
	return eachInput(p, operands, func(_ string, f command.File) error {
		r := lines.New(p, f, delim)
		for {
			block, ok := r.NextBlock()
			if !ok {
				return r.Err()
			}
			out = do(out[:0], block)
			_, _ = p.Out().Write(out)
		}
	})
}

// fieldBlocks selects fields that are written with the delimiter they were read with, so that neighbours are copied as
// one piece. It looks at each byte once.
func (c *cutter) fieldBlocks(p *command.Proc, operands []string) int {
	return eachBlock(p, operands, c.eol, func(out, block []byte) []byte {
		for len(block) > 0 {
			out, block = c.fieldsOf(out, block)
		}
		return out
	})
}

// fieldsOf handles the first line of a block and returns what is left of it.
func (c *cutter) fieldsOf(out, block []byte) (written, rest []byte) {
	delim, eol := c.delim, c.eol
	mark := len(out)
	spans := c.spans
	from, to := 1, 0 // the current span
	if len(spans) > 0 {
		from, to = spans[0].from, spans[0].to
		spans = spans[1:]
	}
	field, start, i := 1, -1, 0
	if from == 1 && to > 0 {
		start = 0
	}
	first, delims := true, false
	for ; i < len(block); i++ {
		b := block[i]
		if b == eol {
			break
		}
		if b != delim {
			continue
		}
		delims = true
		if field == to {
			if !first {
				out = append(out, delim)
			}
			first = false
			out = append(out, block[start:i]...)
			start = -1
			if len(spans) == 0 {
				i = lineEndFrom(block, i+1, eol)
				break
			}
			from, to = spans[0].from, spans[0].to
			spans = spans[1:]
		}
		field++
		if field == from {
			start = i + 1
			if to == math.MaxInt {
				i = lineEndFrom(block, i+1, eol)
				break
			}
		}
	}
	if !delims {
		if c.delimited {
			return out[:mark], block[min(i+1, len(block)):]
		}
		out = append(append(out[:mark], block[:i]...), eol)
		return out, block[min(i+1, len(block)):]
	}
	if start >= 0 {
		if !first {
			out = append(out, delim)
		}
		out = append(out, block[start:i]...)
	}
	return append(out, eol), block[min(i+1, len(block)):]
}

// lineEndFrom is the index of the end of the line that goes on at i.
func lineEndFrom(block []byte, i int, eol byte) int {
	n := bytes.IndexByte(block[i:], eol)
	if n < 0 {
		return len(block)
	}
	return i + n
}
