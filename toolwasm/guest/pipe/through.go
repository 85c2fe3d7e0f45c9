package pipe

import (
	"bytes"
	"context"
)

// ReadThrough reads what is there up to and including the first delim, and no further, waiting for the first byte.
func (r *Reader) ReadThrough(ctx context.Context, b []byte, delim byte) (int, error) {
	p := r.p
	p.mu.Lock()
	defer p.mu.Unlock()
	if ready, err := p.await(ctx, len(b)); !ready {
		return 0, err
	}
	n := 0
	for found := false; !found && n < len(b) && p.n > 0; {
		part := p.contiguous()
		part = part[:min(len(part), len(b)-n)]
		if at := bytes.IndexByte(part, delim); at >= 0 {
			part, found = part[:at+1], true
		}
		n += p.take(b[n:], part)
	}
	p.wake()
	return n, nil
}
