package meter

import (
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"

	"openclaw/sandbox/internal/wasm"
)

// chunkSize is the amount of code, in bytes, that a worker takes at a time.
const chunkSize = 256 << 10

// findings is what all bodies together tell about a module.
type findings struct {
	usesData, dropsSegments, mutatesTables bool
}

// chunk is a run of consecutive functions and their metered form.
type chunk struct {
	first, last int // functions [first, last)
	size        int
	out         []byte
	deep        int // functions that nest deeper than most may
	err         error
}

// rewriteCode meters all bodies, in parallel. The output does not depend on how
// the work was divided, and of several errors the first function's is reported.
func rewriteCode(m *wasm.Module, sp space, e emitter, maxNesting int) ([][]byte, findings, error) {
	chunks := divide(m.Code)
	workers := make([]worker, min(runtime.GOMAXPROCS(0), len(chunks)))
	var next atomic.Int64
	var wg sync.WaitGroup
	for i := range workers {
		w := &workers[i]
		*w = worker{m: m, emitter: e, scanner: scanner{space: sp, maxNesting: DeepFactor * maxNesting}, usualNesting: maxNesting}
		wg.Go(func() {
			for {
				n := int(next.Add(1)) - 1
				if n >= len(chunks) {
					return
				}
				w.rewrite(&chunks[n])
			}
		})
	}
	wg.Wait()

	var found findings
	for i := range workers {
		s := &workers[i].scanner
		found.usesData = found.usesData || s.usesData
		found.dropsSegments = found.dropsSegments || s.dropsSegment
		found.mutatesTables = found.mutatesTables || s.mutatesTable
	}
	code := make([][]byte, len(chunks))
	deep := 0
	for i := range chunks {
		deep += chunks[i].deep
		if chunks[i].err != nil {
			return nil, found, chunks[i].err
		}
		code[i] = chunks[i].out
	}
	if deep > DeepFunctions {
		return nil, found, fmt.Errorf("%w: blocks nested more than %d deep in %d functions", wasm.ErrLimit, maxNesting, deep)
	}
	return code, found, nil
}

func divide(code []wasm.Code) []chunk {
	var chunks []chunk
	for first := 0; first < len(code); {
		c := chunk{first: first, last: first}
		for c.last < len(code) && c.size < chunkSize {
			c.size += len(code[c.last].Body)
			c.last++
		}
		chunks = append(chunks, c)
		first = c.last
	}
	return chunks
}

// worker meters one function at a time and reuses its buffers.
type worker struct {
	m       *wasm.Module
	scanner scanner
	emitter emitter
	// usualNesting is what most functions must not exceed.
	usualNesting int
	body         []byte
	locals       []wasm.LocalGroup
}

func (w *worker) rewrite(c *chunk) {
	c.out = make([]byte, 0, c.size+c.size/2)
	for i := c.first; i < c.last; i++ {
		if c.err = w.function(c, i); c.err != nil {
			return
		}
	}
}

func (w *worker) function(c *chunk, i int) error {
	code := &w.m.Code[i]
	own := w.m.Types[w.m.Functions[i]]
	numLocals := uint64(len(own.Params))
	for _, g := range code.Locals {
		numLocals += uint64(g.Count)
	}
	s := &w.scanner
	if err := s.scan(code, numLocals, uint64(len(own.Results))); err != nil {
		var positioned *wasm.Error
		if errors.As(err, &positioned) {
			positioned.Subject = "code[" + strconv.Itoa(i) + "]"
		}
		return err
	}
	if s.deepest > w.usualNesting {
		c.deep++
	}
	if s.freeLeaf() {
		s.entryCost = 0
		w.body = w.emitter.body(w.body[:0], code.Body, s)
		c.out = wasm.AppendCode(c.out, code.Locals, w.body)
		return nil
	}
	w.locals = append(append(w.locals[:0], code.Locals...), wasm.LocalGroup{Count: 1, Type: wasm.I64})
	w.emitter.fuel = uint32(numLocals)
	if s.sized {
		w.locals = append(w.locals, wasm.LocalGroup{Count: 1, Type: wasm.I32})
		w.emitter.size = uint32(numLocals) + 1
	}
	w.body = w.emitter.body(w.body[:0], code.Body, s)
	c.out = wasm.AppendCode(c.out, w.locals, w.body)
	return nil
}
