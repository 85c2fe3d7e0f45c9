package meter_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"openclaw/sandbox/internal/meter"
	"openclaw/sandbox/internal/wasm"
)

const (
	bulkPages  = 640 // 40 MiB: two chunks and a half
	bulkMemory = bulkPages * wasm.PageSize
)

func bulkModule() []byte {
	three := valueTypes{wasm.I32, wasm.I32, wasm.I32}
	args := cat(op(wasm.OpLocalGet, 0), op(wasm.OpLocalGet, 1), op(wasm.OpLocalGet, 2))
	var b builder
	b.Memory(bulkPages, bulkPages)
	b.Func("fill", three, nil, nil, args, op(wasm.OpMemoryFill, 0))
	b.Func("copy", three, nil, nil, args, op(wasm.OpMemoryCopy, 0, 0))
	return b.Encode()
}

func TestLargeFillsAndCopiesDoWhatSmallOnesDo(t *testing.T) {
	inst := instantiate(t, withMeter(t), mustRewrite(t, bulkModule()))
	memory, _ := inst.Memory().Read(0, bulkMemory)
	pattern := make([]byte, bulkMemory)
	for i := range pattern {
		pattern[i] = byte(i>>3 ^ i>>11 ^ i>>19)
	}
	const chunk = meter.BulkChunk
	for name, tc := range map[string]struct {
		function       string
		to, from, size uint32
	}{
		"fill one chunk":           {"fill", 1, 7, chunk},
		"fill a byte more":         {"fill", 1, 7, chunk + 1},
		"fill all":                 {"fill", 0, 7, bulkMemory},
		"copy forward, overlapped": {"copy", 5, 1000, 2*chunk + 100},
		"copy backward, near":      {"copy", 1000, 5, 2*chunk + 100},
		"copy backward, far":       {"copy", chunk + 99, 3, chunk + 12345},
		"copy onto itself":         {"copy", 9, 9, 2 * chunk},
		"copy to the end":          {"copy", bulkMemory - 2*chunk, 0, 2 * chunk},
	} {
		t.Run(name, func(t *testing.T) {
			copy(memory, pattern)
			want := bytes.Clone(pattern)
			if tc.function == "copy" {
				copy(want[tc.to:tc.to+tc.size], want[tc.from:tc.from+tc.size])
			} else {
				copy(want[tc.to:], bytes.Repeat([]byte{byte(tc.from)}, int(tc.size)))
			}
			_, err := inst.ExportedFunction(tc.function).
				Call(context.Background(), uint64(tc.to), uint64(tc.from), uint64(tc.size))
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(memory, want) {
				t.Error("memory differs")
			}
		})
	}
}

func TestLargeFillsAndCopiesOutOfBoundsTrapWithoutWriting(t *testing.T) {
	inst := instantiate(t, withMeter(t), mustRewrite(t, bulkModule()))
	memory, _ := inst.Memory().Read(0, bulkMemory)
	want := bytes.Clone(memory)
	for name, args := range map[string][]uint64{
		"fill": {1, 7, bulkMemory}, "copy": {0, 1, bulkMemory},
		"copy ": {1, 0, bulkMemory}, "fill ": {0xffff_ffff, 7, 0xffff_ffff},
	} {
		_, err := inst.ExportedFunction(strings.TrimSpace(name)).Call(context.Background(), args...)
		if err == nil || !strings.Contains(err.Error(), "out of bounds memory access") {
			t.Errorf("%s%v ended with %v", name, args, err)
		}
	}
	if !bytes.Equal(memory, want) {
		t.Error("memory was written")
	}
}

func TestLargeFillStopsBetweenChunks(t *testing.T) {
	r := newRuntime(t, engines["compiler"])
	hostMeter(t, r, &tank{slice: meter.BulkChunk / meter.BytesPerUnit, refills: 2})
	inst := instantiate(t, r, mustRewrite(t, bulkModule()))
	_, err := inst.ExportedFunction("fill").Call(context.Background(), 0, 7, bulkMemory)
	if !errors.Is(err, errOutOfFuel) {
		t.Fatalf("ended with %v", err)
	}
	first, _ := inst.Memory().ReadByte(0)
	last, _ := inst.Memory().ReadByte(bulkMemory - 1)
	if first != 7 || last != 0 {
		t.Errorf("the first byte is %d, the last %d", first, last)
	}
}
