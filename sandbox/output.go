package sandbox

import (
	"io"
	"sync"
)

// output is the account that standard output and standard error of a call share.
type output struct {
	mu        sync.Mutex
	keep      int64 // bytes that may still be passed on
	discard   int64 // bytes that may still be dropped
	truncated bool
	end       func(error) // ends the call
	limit     int64
	writing   sync.Mutex // one writer may serve both streams
}

func newOutput(limit int64, end func(error)) *output {
	return &output{keep: limit, discard: DiscardedOutput, limit: limit, end: end}
}

// take says how many of n bytes are passed on. It ends the call when too many are not.
func (o *output) take(n int) int {
	o.mu.Lock()
	defer o.mu.Unlock()
	kept := min(int64(n), o.keep)
	o.keep -= kept
	dropped := int64(n) - kept
	if dropped == 0 {
		return int(kept)
	}
	o.truncated = true
	o.discard -= dropped
	if o.discard < 0 {
		o.end(&LimitError{Limit: LimitOutput, Value: size(o.limit)})
	}
	return int(kept)
}

func (o *output) wasTruncated() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.truncated
}

// outputWriter passes on to w what the account allows. What goes beyond is dropped, and the guest is told that it was written.
type outputWriter struct {
	account *output
	w       io.Writer
}

func (o outputWriter) Write(b []byte) (int, error) {
	kept := o.account.take(len(b))
	if kept == 0 {
		return len(b), nil
	}
	o.account.writing.Lock()
	defer o.account.writing.Unlock()
	if n, err := o.w.Write(b[:kept]); err != nil {
		return n, err
	}
	return len(b), nil
}
