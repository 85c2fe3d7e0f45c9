package pipe

import (
	"bytes"
	"context"
	"io"
)

// ReadThrough reads what is there up to and including the first delim, and no further, waiting for the first byte.
func (r *Reader) ReadThrough(ctx context.Context, b []byte, delim byte) (int, error) {
	p := r.p
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.n == 0 {
		if len(b) == 0 {
			return 0, nil
		}
		if p.writers == 0 {
			return 0, io.EOF
		}
		if err := p.wait(ctx); err != nil {
			return 0, err
		}
	}
	n := 0
	for n < len(b) && p.n > 0 {
		part := p.buf[p.start:min(p.start+p.n, len(p.buf))]
		part = part[:min(len(part), len(b)-n)]
		at := bytes.IndexByte(part, delim)
		if at >= 0 {
			part = part[:at+1]
		}
		n += copy(b[n:], part)
		p.n -= len(part)
		p.start = (p.start + len(part)) % len(p.buf)
		if at >= 0 {
			break
		}
	}
	if p.n == 0 {
		p.start = 0
	}
	p.wake()
	return n, nil
}
