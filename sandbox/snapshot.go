package sandbox

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"openclaw/sandbox/internal/engine"
	"openclaw/sandbox/internal/image"
	"openclaw/sandbox/internal/meter"
	"openclaw/sandbox/internal/wasi"
	"openclaw/sandbox/internal/wasm"
)

// initLimits bounds the initialisation of a program. It is no call of anybody's, so no grant's limits apply.
const (
	initTimeout = time.Minute
	initMemory  = DefaultMemory
)

// initTime is what a guest's clock shows while it is initialised: before any call, and the same for everyone.
var initTime = time.Unix(0, 0)

// takeImage makes the memory that each call starts with: that of the module's data, or for a reactor what its
// initialisation left. It returns the content for the cache.
func (p *Program) takeImage(ctx context.Context, m *meter.Module) (image.Content, error) {
	if !p.HasMemory {
		return image.Content{}, nil
	}
	content := image.Content{Size: p.MemoryMin}
	for _, d := range m.Data {
		content.Segments = append(content.Segments, image.Segment{Offset: int64(d.Offset), Bytes: d.Bytes})
	}
	if err := p.setImage(content); err != nil {
		return content, err
	}
	if p.Entry != runExport || !canImage(m) {
		return content, nil
	}
	before := p.image
	defer before.Close()
	after, err := p.initialise(ctx, m)
	if err != nil {
		return content, err
	}
	content = image.Content{Size: int64(len(after)), Segments: []image.Segment{{Bytes: after}}}
	if err := p.setImage(content); err != nil {
		return content, err
	}
	p.Before, p.Imaged = nil, true
	return content, nil
}

func (p *Program) setImage(content image.Content) error {
	img, err := image.New(content)
	if err != nil {
		return fmt.Errorf("sandbox: %w", err)
	}
	p.image, p.ImageSize = img, img.Size()
	return nil
}

// canImage reports whether memory and mutable globals are all that the module's initialisation can change.
func canImage(m *meter.Module) bool {
	if m.MutatesTables || m.DropsSegments {
		return false
	}
	for _, g := range m.Globals {
		switch g.Type {
		case wasm.I32, wasm.I64, wasm.F32, wasm.F64:
		default:
			return false
		}
	}
	return true
}

// initialise runs the program's initialisation with an empty grant, a stopped clock and fixed randomness, so that what it
// leaves is the same on every machine, and returns the memory. The globals go into p.
func (p *Program) initialise(ctx context.Context, m *meter.Module) ([]byte, error) {
	if p.image.Size() > initMemory {
		return nil, fmt.Errorf("%w: initialise: it needs %s of memory, more than %s", ErrBadModule, size(p.image.Size()), size(initMemory))
	}
	ctx, cancel := context.WithTimeoutCause(ctx, initTimeout, &LimitError{Limit: LimitTimeout, Value: initTimeout.String()})
	defer cancel()
	empty, err := emptyTree()
	if err != nil {
		return nil, fmt.Errorf("sandbox: %w", err)
	}
	var tick int64
	call := &call{ctx: ctx, system: wasi.New(wasi.Config{
		Args:          []string{p.name},
		FS:            empty,
		NonblockStdio: true,
		Rand:          rand.NewChaCha8(p.digest),
		Now:           func() time.Time { return initTime },
		Monotonic:     func() int64 { tick++; return tick },
	})}
	defer call.system.Close()
	memory := p.image.NewMemory(initMemory)
	defer memory.Free()
	if memory.Reallocate(0) == nil {
		return nil, errNoMemory
	}
	inst, err := p.module.Instantiate(ctx, memory, call)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrBadModule, err)
	}
	defer inst.Close(context.WithoutCancel(ctx))
	for _, f := range p.Before {
		if _, err := inst.Call(ctx, f); err != nil {
			return nil, fmt.Errorf("%w: initialise: %w", ErrBadModule, err)
		}
	}
	if p.Globals, err = readGlobals(inst, m); err != nil {
		return nil, err
	}
	return append([]byte(nil), inst.Memory()...), nil
}

// readGlobals reads every mutable global but the fuel, which starts at zero in each call.
func readGlobals(inst engine.Instance, m *meter.Module) ([]globalValue, error) {
	var values []globalValue
	for _, g := range m.Globals {
		if g.ExportName == m.FuelGlobal {
			continue
		}
		bits, err := inst.Global(g.ExportName)
		if err != nil {
			return nil, fmt.Errorf("sandbox: %w", err)
		}
		values = append(values, globalValue{Export: g.ExportName, Bits: bits})
	}
	return values, nil
}
