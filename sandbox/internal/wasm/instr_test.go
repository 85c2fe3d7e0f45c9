package wasm_test

import (
	"errors"
	"math"
	"testing"

	"openclaw/sandbox/internal/wasm"
)

func TestInstructionsAreReadWithTheirImmediates(t *testing.T) {
	misc := func(sub uint32) uint32 { return uint32(wasm.PrefixMisc)<<16 | sub }
	simd := func(sub uint32) uint32 { return uint32(wasm.PrefixSIMD)<<16 | sub }
	vector := "0123456789abcdef"
	for name, tc := range map[string]struct {
		in   string
		want wasm.Instr
	}{
		"nop":                  {"\x01", wasm.Instr{Op: wasm.OpNop}},
		"block of type i32":    {"\x02\x7f", wasm.Instr{Op: wasm.OpBlock, X: wasm.NoTypeIndex}},
		"loop without a type":  {"\x03\x40", wasm.Instr{Op: wasm.OpLoop, X: wasm.NoTypeIndex}},
		"if of a type index":   {"\x04\x80\x01", wasm.Instr{Op: wasm.OpIf, X: 128}},
		"br_table":             {"\x0e\x02\x01\x80\x01\x03", wasm.Instr{Op: wasm.OpBrTable, X: 3, Labels: 2}},
		"call_indirect":        {"\x11\x05\x01", wasm.Instr{Op: wasm.OpCallIndirect, X: 5, Y: 1}},
		"return_call":          {"\x12\x05", wasm.Instr{Op: wasm.OpReturnCall, X: 5}},
		"return_call_indirect": {"\x13\x05\x00", wasm.Instr{Op: wasm.OpReturnCallIndirect, X: 5}},
		"typed select":         {"\x1c\x01\x7f", wasm.Instr{Op: wasm.OpSelectTyped}},
		"i32.const minimum":    {"\x41\x80\x80\x80\x80\x78", wasm.Instr{Op: wasm.OpI32Const, Value: math.MinInt32}},
		"i32.const padded":     {"\x41\xff\xff\xff\xff\x7f", wasm.Instr{Op: wasm.OpI32Const, Value: -1}},
		"i64.const minimum": {
			"\x42\x80\x80\x80\x80\x80\x80\x80\x80\x80\x7f",
			wasm.Instr{Op: wasm.OpI64Const, Value: math.MinInt64},
		},
		"f32.const":      {"\x43\x01\x02\x03\x04", wasm.Instr{Op: wasm.OpF32Const, Value: 0x04030201}},
		"f64.const":      {"\x44\x01\x00\x00\x00\x00\x00\x00\x80", wasm.Instr{Op: wasm.OpF64Const, Value: math.MinInt64 + 1}},
		"load":           {"\x28\x02\x80\x02", wasm.Instr{Op: 0x28, X: 256}},
		"memory.grow":    {"\x40\x00", wasm.Instr{Op: wasm.OpMemoryGrow}},
		"ref.null":       {"\xd0\x6f", wasm.Instr{Op: wasm.OpRefNull}},
		"ref.func":       {"\xd2\x07", wasm.Instr{Op: wasm.OpRefFunc, X: 7}},
		"sign extension": {"\xc4", wasm.Instr{Op: 0xc4}},
		"trunc_sat":      {"\xfc\x07", wasm.Instr{Op: misc(7)}},
		"memory.init":    {"\xfc\x08\x03\x00", wasm.Instr{Op: wasm.OpMemoryInit, X: 3}},
		"data.drop":      {"\xfc\x09\x03", wasm.Instr{Op: wasm.OpDataDrop, X: 3}},
		"memory.copy":    {"\xfc\x0a\x00\x00", wasm.Instr{Op: wasm.OpMemoryCopy}},
		"memory.fill":    {"\xfc\x0b\x00", wasm.Instr{Op: wasm.OpMemoryFill}},
		"table.init":     {"\xfc\x0c\x01\x02", wasm.Instr{Op: wasm.OpTableInit, X: 1, Y: 2}},
		"table.copy":     {"\xfc\x0e\x01\x02", wasm.Instr{Op: wasm.OpTableCopy, X: 1, Y: 2}},
		"padded prefix":  {"\xfc\x8b\x00\x00", wasm.Instr{Op: wasm.OpMemoryFill}},
		"v128.load":      {"\xfd\x00\x04\x08", wasm.Instr{Op: simd(0), X: 8}},
		"v128.const":     {"\xfd\x0c" + vector, wasm.Instr{Op: wasm.OpV128Const}},
		"shuffle":        {"\xfd\x0d" + vector, wasm.Instr{Op: simd(13)}},
		"extract lane":   {"\xfd\x15\x03", wasm.Instr{Op: simd(21)}},
		"load lane":      {"\xfd\x54\x00\x08\x03", wasm.Instr{Op: simd(84), X: 8}},
		"load zero":      {"\xfd\x5d\x03\x08", wasm.Instr{Op: simd(93), X: 8}},
		"last SIMD":      {"\xfd\xff\x01", wasm.Instr{Op: simd(255)}},
		"i32x4.add":      {"\xfd\xae\x01", wasm.Instr{Op: simd(174)}},
		"local.get":      {"\x20\x00", wasm.Instr{Op: wasm.OpLocalGet}},
	} {
		t.Run(name, func(t *testing.T) {
			r := wasm.NewInstrReader([]byte(tc.in), 0)
			var got wasm.Instr
			if !r.Next(&got) {
				t.Fatal(r.Err())
			}
			tc.want.End = len(tc.in)
			if got != tc.want {
				t.Errorf("got %+v, want %+v", got, tc.want)
			}
			if r.Next(&got) || r.Err() != nil {
				t.Errorf("more after the end: %v", r.Err())
			}
		})
	}
}

func TestBadInstructionsAreRefused(t *testing.T) {
	for name, tc := range map[string]struct {
		in   string
		want error
	}{
		"undefined":                 {"\x16", wasm.ErrMalformed},
		"undefined high":            {"\xff", wasm.ErrMalformed},
		"try":                       {"\x06\x40", wasm.ErrUnsupported},
		"throw_ref":                 {"\x0a", wasm.ErrUnsupported},
		"try_table":                 {"\x1f\x40\x00", wasm.ErrUnsupported},
		"call_ref":                  {"\x14\x00", wasm.ErrUnsupported},
		"atomic":                    {"\xfe\x03\x00", wasm.ErrUnsupported},
		"struct.new":                {"\xfb\x00\x00", wasm.ErrUnsupported},
		"relaxed SIMD":              {"\xfd\x80\x02", wasm.ErrUnsupported},
		"SIMD hole":                 {"\xfd\x9a\x01", wasm.ErrUnsupported},
		"misc beyond the last":      {"\xfc\x12", wasm.ErrUnsupported},
		"huge sub-opcode":           {"\xfc\x8b\x80\x04", wasm.ErrUnsupported},
		"memory index in a load":    {"\x28\x42\x01\x00", wasm.ErrUnsupported},
		"memory index in grow":      {"\x40\x01", wasm.ErrUnsupported},
		"alignment":                 {"\x28\x20\x00", wasm.ErrMalformed},
		"i32.const too long":        {"\x41\x80\x80\x80\x80\x80\x00", wasm.ErrMalformed},
		"i32.const unused bits":     {"\x41\xff\xff\xff\xff\x0f", wasm.ErrMalformed},
		"i64.const unused bits":     {"\x42\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", wasm.ErrMalformed},
		"negative block type":       {"\x02\x41", wasm.ErrMalformed},
		"reference block type":      {"\x02\x63\x00", wasm.ErrUnsupported},
		"br_table beyond the bytes": {"\x0e\xff\xff\xff\xff\x0f\x00", wasm.ErrMalformed},
		"cut off":                   {"\x44\x00\x00", wasm.ErrMalformed},
	} {
		t.Run(name, func(t *testing.T) {
			r := wasm.NewInstrReader([]byte(tc.in), 100)
			var in wasm.Instr
			if r.Next(&in) {
				t.Fatalf("read %+v", in)
			}
			if !errors.Is(r.Err(), tc.want) {
				t.Errorf("got %v, want %v", r.Err(), tc.want)
			}
			if at := r.ErrOffset(); at < 100 || at > 100+len(tc.in) {
				t.Errorf("position %d", at)
			}
		})
	}
}

func TestConstantExpressionsAreEvaluated(t *testing.T) {
	for name, tc := range map[string]struct {
		in   string
		want uint32
		ok   bool
	}{
		"constant":        {"\x41\x05\x0b", 5, true},
		"negative":        {"\x41\x7f\x0b", math.MaxUint32, true},
		"sum":             {"\x41\x05\x41\x06\x6a\x0b", 11, true},
		"difference":      {"\x41\x05\x41\x06\x6b\x0b", math.MaxUint32, true},
		"product":         {"\x41\x05\x41\x06\x6c\x0b", 30, true},
		"global":          {"\x23\x00\x0b", 0, false},
		"sum of a global": {"\x23\x00\x41\x01\x6a\x0b", 0, false},
		"wrong type":      {"\x42\x05\x0b", 0, false},
		"two values":      {"\x41\x05\x41\x05\x0b", 0, false},
		"no value":        {"\x0b", 0, false},
		"operand missing": {"\x41\x05\x6a\x0b", 0, false},
		"no end":          {"\x41\x05", 0, false},
	} {
		got, ok := wasm.ConstExpr(tc.in).I32()
		if got != tc.want || ok != tc.ok {
			t.Errorf("%s: got %d, %t, want %d, %t", name, got, ok, tc.want, tc.ok)
		}
	}
}
