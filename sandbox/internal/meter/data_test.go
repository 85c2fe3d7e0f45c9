package meter_test

import (
	"bytes"
	"errors"
	"reflect"
	"testing"

	"openclaw/sandbox/internal/meter"
	"openclaw/sandbox/internal/wasm"
)

func active(offset int32, content string) wasm.Data {
	return wasm.Data{Offset: wasm.I32Const(offset), Bytes: []byte(content)}
}

func TestActiveSegmentsAreLiftedAndMerged(t *testing.T) {
	gap := string(make([]byte, 3))
	for name, tc := range map[string]struct {
		in   []wasm.Data
		want []meter.DataSegment
	}{
		"none":          {nil, []meter.DataSegment{}},
		"empty segment": {[]wasm.Data{active(5, "")}, []meter.DataSegment{}},
		"adjacent":      {[]wasm.Data{active(8, "ab"), active(10, "cd")}, []meter.DataSegment{{8, []byte("abcd")}}},
		"small gap":     {[]wasm.Data{active(8, "ab"), active(13, "cd")}, []meter.DataSegment{{8, []byte("ab" + gap + "cd")}}},
		"out of order":  {[]wasm.Data{active(10, "cd"), active(8, "ab")}, []meter.DataSegment{{8, []byte("abcd")}}},
		"far apart":     {[]wasm.Data{active(8, "ab"), active(900, "cd")}, []meter.DataSegment{{8, []byte("ab")}, {900, []byte("cd")}}},
		"later wins":    {[]wasm.Data{active(8, "abcdef"), active(10, "XY")}, []meter.DataSegment{{8, []byte("abXYef")}}},
		"later wins in front": {
			[]wasm.Data{active(10, "cdef"), active(8, "XYZ")},
			[]meter.DataSegment{{8, []byte("XYZdef")}},
		},
		"last byte of memory": {[]wasm.Data{active(wasm.PageSize-1, "x")}, []meter.DataSegment{{wasm.PageSize - 1, []byte("x")}}},
		"extended constant": {
			[]wasm.Data{{Offset: cat(i32c(3), i32c(4), op(wasm.OpI32Mul), end), Bytes: []byte("x")}},
			[]meter.DataSegment{{12, []byte("x")}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var b builder
			b.Memory(1, 1)
			b.Data = tc.in
			m := mustRewrite(t, b.Encode())
			if len(m.Data)+len(tc.want) > 0 && !reflect.DeepEqual(m.Data, tc.want) {
				t.Errorf("got %v, want %v", m.Data, tc.want)
			}
			if left := decode(t, m.Wasm).Data; len(left) > 0 {
				t.Errorf("%d segments left behind", len(left))
			}
		})
	}
}

func TestSegmentsThatCodeRefersToKeepTheirIndices(t *testing.T) {
	var b builder
	b.Memory(1, 1)
	b.Data = []wasm.Data{active(8, "ab"), {Mode: wasm.Passive, Bytes: []byte("cd")}}
	n := uint32(2)
	b.DataCount = &n
	b.Func("run", nil, nil, nil, i32c(0), i32c(0), i32c(0), op(wasm.OpMemoryInit, 1, 0))
	m := mustRewrite(t, b.Encode())
	left := decode(t, m.Wasm).Data
	if len(left) != 2 || len(left[0].Bytes) != 0 || left[1].Mode != wasm.Passive || !bytes.Equal(left[1].Bytes, []byte("cd")) {
		t.Errorf("segments left are %q", left)
	}
	if len(m.Data) != 1 || string(m.Data[0].Bytes) != "ab" {
		t.Errorf("lifted %v", m.Data)
	}
	instantiate(t, withMeter(t), m)
}

func TestSegmentsStayIfOneDependsOnAGlobal(t *testing.T) {
	var b builder
	b.Memory(1, 1)
	b.Imports = []wasm.Import{{Module: "env", Name: "base", Kind: wasm.ExternGlobal, Global: wasm.GlobalType{Value: wasm.I32}}}
	b.Data = []wasm.Data{active(8, "ab"), {Offset: append(op(wasm.OpGlobalGet, 0), end...), Bytes: []byte("cd")}}
	m := mustRewrite(t, b.Encode())
	if left := decode(t, m.Wasm).Data; len(left) != 2 || len(m.Data) != 0 {
		t.Errorf("%d segments left, %d lifted", len(left), len(m.Data))
	}
}

func TestSegmentsOfAnImportedMemoryStay(t *testing.T) {
	var b builder
	b.Imports = []wasm.Import{{Module: "env", Name: "memory", Kind: wasm.ExternMemory, Memory: wasm.TypeLimits{Min: 3}}}
	b.Data = []wasm.Data{active(8, "ab")}
	m := mustRewrite(t, b.Encode())
	if left := decode(t, m.Wasm).Data; len(left) != 1 || len(m.Data) != 0 {
		t.Errorf("%d segments left, %d lifted", len(left), len(m.Data))
	}
	if !m.HasMemory || m.MemoryMin != 3 || m.MemoryMax != wasm.MaxPages {
		t.Errorf("memory is %t %d %d", m.HasMemory, m.MemoryMin, m.MemoryMax)
	}
}

func TestSegmentsOutsideTheInitialMemoryAreRefused(t *testing.T) {
	for name, d := range map[string]wasm.Data{
		"end":      active(wasm.PageSize-1, "xy"),
		"negative": active(-1, "x"),
		"empty":    active(wasm.PageSize+1, ""),
	} {
		var b builder
		b.Memory(1, 2)
		b.Data = []wasm.Data{d}
		if _, err := meter.Rewrite(b.Encode(), meter.Options{}); !errors.Is(err, meter.ErrDataOutOfBounds) {
			t.Errorf("%s: got %v, want %v", name, err, meter.ErrDataOutOfBounds)
		}
	}
}
