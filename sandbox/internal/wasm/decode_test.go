package wasm_test

import (
	"bytes"
	"errors"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"openclaw/sandbox/internal/wasm"
)

const header = "\x00asm\x01\x00\x00\x00"

// section builds one section whose size fits one byte.
func section(id wasm.SectionID, body string) string {
	return string([]byte{byte(id), byte(len(body))}) + body
}

// fullModule uses every field that can be encoded.
func fullModule() *wasm.Module {
	one, two := uint32(1), uint32(2)
	ref := func(f byte) wasm.ConstExpr { return wasm.ConstExpr{byte(wasm.OpRefFunc), f, byte(wasm.OpEnd)} }
	null := wasm.ConstExpr{byte(wasm.OpRefNull), byte(wasm.ExternRef), byte(wasm.OpEnd)}
	return &wasm.Module{
		Types: []wasm.FuncType{
			{},
			{Params: []wasm.ValueType{wasm.I32, wasm.V128}, Results: []wasm.ValueType{wasm.F32, wasm.ExternRef}},
		},
		Imports: []wasm.Import{
			{Module: "m", Name: "f", Func: 1},
			{Module: "m", Name: "t", Kind: wasm.ExternTable, Table: wasm.TableType{Elem: wasm.FuncRef, Limits: wasm.TypeLimits{Min: 1, Max: 300, HasMax: true}}},
			{Module: "m", Name: "g", Kind: wasm.ExternGlobal, Global: wasm.GlobalType{Value: wasm.F64, Mutable: true}},
			{Module: "ü", Name: "m", Kind: wasm.ExternMemory, Memory: wasm.TypeLimits{Min: 65536}},
		},
		Functions: []uint32{0, 0},
		Tables:    []wasm.TableType{{Elem: wasm.ExternRef, Limits: wasm.TypeLimits{Min: 4}}},
		Globals:   []wasm.Global{{Type: wasm.GlobalType{Value: wasm.I32, Mutable: true}, Init: wasm.I32Const(-200)}},
		Exports:   []wasm.Export{{Name: "f", Index: 1}, {Name: "", Kind: wasm.ExternGlobal, Index: 1}},
		Start:     &one,
		Elements: []wasm.Element{
			{Type: wasm.FuncRef, Offset: wasm.I32Const(1), Funcs: []uint32{0, 300}},
			{Type: wasm.FuncRef, Mode: wasm.Passive, Funcs: []uint32{1}},
			{Type: wasm.FuncRef, Table: 1, Offset: wasm.I32Const(1), Funcs: []uint32{1}},
			{Type: wasm.FuncRef, Mode: wasm.Declarative, Funcs: []uint32{1}},
			{Type: wasm.FuncRef, Offset: wasm.I32Const(1), UsesExprs: true, Exprs: []wasm.ConstExpr{ref(1)}},
			{Type: wasm.ExternRef, Mode: wasm.Passive, UsesExprs: true, Exprs: []wasm.ConstExpr{null}},
			{Type: wasm.ExternRef, Table: 1, Offset: wasm.I32Const(1), UsesExprs: true, Exprs: []wasm.ConstExpr{null, null}},
			{Type: wasm.FuncRef, Mode: wasm.Declarative, UsesExprs: true, Exprs: []wasm.ConstExpr{ref(0)}},
		},
		DataCount: &two,
		Code: []wasm.Code{
			{Locals: []wasm.LocalGroup{{Count: 300, Type: wasm.I64}, {Count: 1, Type: wasm.V128}}, Body: []byte{byte(wasm.OpEnd)}},
			{Body: []byte{byte(wasm.OpNop), byte(wasm.OpEnd)}},
		},
		Data: []wasm.Data{
			{Offset: wasm.I32Const(7), Bytes: []byte("active")},
			{Mode: wasm.Passive, Bytes: []byte("passive")},
		},
		Customs: []wasm.Custom{
			{Name: "early", Bytes: []byte{1}},
			{Name: "between", Bytes: []byte{}, After: wasm.SectionImport},
			{Name: "late", Bytes: []byte{2, 3}, After: wasm.SectionData},
			{Name: "late", Bytes: []byte{4}, After: wasm.SectionData},
		},
	}
}

func TestEncodedModuleDecodesToItself(t *testing.T) {
	want := fullModule()
	got, err := wasm.Decode(want.Encode(), wasm.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range got.Code {
		got.Code[i].Offset = 0
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestCountsCoverImports(t *testing.T) {
	m := fullModule()
	got := [...]int{m.NumFunctions(), m.NumGlobals(), m.NumTables(), m.NumMemories()}
	if want := [...]int{3, 2, 2, 1}; got != want {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestEveryTruncationIsRefusedOrShorter(t *testing.T) {
	module := fullModule().Encode()
	for n := range module {
		m, err := wasm.Decode(module[:n], wasm.Limits{})
		if err == nil && len(m.Data) == 2 && len(m.Customs) == 4 {
			t.Errorf("%d of %d bytes decode to the whole module", n, len(module))
		}
		var positioned *wasm.Error
		if err != nil && (!errors.As(err, &positioned) || positioned.Offset > n) {
			t.Errorf("%d bytes: error without a proper position: %v", n, err)
		}
	}
}

func TestBadModulesAreRefused(t *testing.T) {
	for name, tc := range map[string]struct {
		in   string
		want error
		text string
	}{
		"empty":                   {"", wasm.ErrNotWasm, "header"},
		"text":                    {"#!/bin/sh\n", wasm.ErrNotWasm, "header"},
		"magic only":              {header[:4], wasm.ErrMalformed, "unexpected end"},
		"component":               {"\x00asm\x0d\x00\x01\x00", wasm.ErrUnsupported, "component"},
		"other version":           {"\x00asm\x02\x00\x00\x00", wasm.ErrUnsupported, "version 2"},
		"unknown section":         {header + section(14, ""), wasm.ErrMalformed, "unknown section"},
		"tag section":             {header + section(13, "\x00"), wasm.ErrUnsupported, "exception"},
		"sections out of order":   {header + section(wasm.SectionImport, "\x00") + section(wasm.SectionType, "\x00"), wasm.ErrMalformed, "out of order"},
		"section repeated":        {header + section(wasm.SectionType, "\x00") + section(wasm.SectionType, "\x00"), wasm.ErrMalformed, "repeated"},
		"section too long":        {header + "\x01\x7f", wasm.ErrMalformed, "127 bytes"},
		"section with a rest":     {header + section(wasm.SectionType, "\x00\x00"), wasm.ErrMalformed, "too many"},
		"count beyond the bytes":  {header + section(wasm.SectionType, "\xff\xff\xff\xff\x0f"), wasm.ErrMalformed, "items declared"},
		"integer too long":        {header + section(wasm.SectionType, "\x80\x80\x80\x80\x80\x00"), wasm.ErrMalformed, "too long"},
		"integer too large":       {header + section(wasm.SectionType, "\xff\xff\xff\xff\x1f"), wasm.ErrMalformed, "too long"},
		"struct type":             {header + section(wasm.SectionType, "\x01\x5f\x00\x00"), wasm.ErrUnsupported, "garbage"},
		"typed reference":         {header + section(wasm.SectionType, "\x01\x60\x01\x64\x00"), wasm.ErrUnsupported, "type 0x64"},
		"no type":                 {header + section(wasm.SectionType, "\x01\x60\x01\x01\x00"), wasm.ErrMalformed, "not a type"},
		"name not UTF-8":          {header + section(wasm.SectionCustom, "\x01\xff"), wasm.ErrMalformed, "UTF-8"},
		"memory64":                {header + section(wasm.SectionMemory, "\x01\x04\x00"), wasm.ErrUnsupported, "64-bit"},
		"shared memory":           {header + section(wasm.SectionMemory, "\x01\x03\x00\x01"), wasm.ErrUnsupported, "shared"},
		"two memories":            {header + section(wasm.SectionMemory, "\x02\x00\x00\x00\x00"), wasm.ErrUnsupported, "multiple memories"},
		"memory too large":        {header + section(wasm.SectionMemory, "\x01\x00\x81\x80\x04"), wasm.ErrMalformed, "65536 pages"},
		"maximum below minimum":   {header + section(wasm.SectionMemory, "\x01\x01\x02\x01"), wasm.ErrMalformed, "less than"},
		"function without a body": {header + section(wasm.SectionFunction, "\x01\x00"), wasm.ErrMalformed, "1 functions declared, 0 bodies"},
		"body without a function": {header + section(wasm.SectionCode, "\x01\x02\x00\x0b"), wasm.ErrMalformed, "0 functions declared, 1 bodies"},
		"data count differs":      {header + section(wasm.SectionDataCount, "\x01"), wasm.ErrMalformed, "1 data segments declared"},
		"call in an initialiser":  {header + section(wasm.SectionGlobal, "\x01\x7f\x00\x10\x00\x0b"), wasm.ErrMalformed, "initialiser"},
		"endless initialiser":     {header + section(wasm.SectionGlobal, "\x01\x7f\x00\x41\x00"), wasm.ErrMalformed, "initialiser"},
		"import of a tag":         {header + section(wasm.SectionImport, "\x01\x00\x00\x04\x00\x00"), wasm.ErrUnsupported, "exception"},
		"mutability":              {header + section(wasm.SectionGlobal, "\x01\x7f\x02\x41\x00\x0b"), wasm.ErrMalformed, "mutability"},
		"data in memory 1":        {header + section(wasm.SectionData, "\x01\x02\x01\x41\x00\x0b\x00"), wasm.ErrUnsupported, "multiple memories"},
		"bad local":               {header + section(wasm.SectionFunction, "\x01\x00") + section(wasm.SectionCode, "\x01\x04\x01\x01\x01\x0b"), wasm.ErrMalformed, "code[0] at 0x13"},
		"too many locals":         {header + section(wasm.SectionFunction, "\x01\x00") + section(wasm.SectionCode, "\x01\x08\x01\xff\xff\xff\xff\x0f\x7f\x0b"), wasm.ErrLimit, "locals"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := wasm.Decode([]byte(tc.in), wasm.Limits{})
			var positioned *wasm.Error
			if !errors.Is(err, tc.want) || !errors.As(err, &positioned) || !strings.Contains(err.Error(), tc.text) {
				t.Errorf("got %v, want %v with %q", err, tc.want, tc.text)
			}
		})
	}
}

// A few bytes must not make the decoder allocate by the counts they declare.
func TestDeclaredCountsDoNotAllocate(t *testing.T) {
	huge := "\xff\xff\xff\xff\x0f"
	for _, in := range []string{
		section(wasm.SectionType, huge), section(wasm.SectionImport, huge), section(wasm.SectionFunction, huge),
		section(wasm.SectionElement, "\x01\x01\x00"+huge), section(wasm.SectionCode, huge), section(wasm.SectionData, huge),
		section(wasm.SectionData, "\x01\x01"+huge), section(wasm.SectionExport, "\x01"+huge), section(wasm.SectionCustom, huge),
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := wasm.Decode([]byte(header+in), wasm.Limits{}); err == nil {
			t.Errorf("%q is accepted", in)
		}
		runtime.ReadMemStats(&after)
		if n := after.TotalAlloc - before.TotalAlloc; n > 1<<16 {
			t.Errorf("%q allocates %d bytes", in, n)
		}
	}
}

func TestLimitsApply(t *testing.T) {
	module := fullModule().Encode()
	for name, limits := range map[string]wasm.Limits{
		"module size": {MaxModuleSize: 100}, "functions": {MaxFunctions: 1},
		"body size": {MaxBodySize: 5}, "locals": {MaxLocals: 300}, "items": {MaxItems: 7},
	} {
		if _, err := wasm.Decode(module, limits); !errors.Is(err, wasm.ErrLimit) {
			t.Errorf("%s: got %v, want %v", name, err, wasm.ErrLimit)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(fullModule().Encode())
	f.Add([]byte(header + section(wasm.SectionMemory, "\x01\x00\x00")))
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := wasm.Decode(b, wasm.Limits{})
		if err != nil {
			return
		}
		for i := range m.Code {
			walk(t, m.Code[i].Body)
		}
		once := m.Encode()
		again, err := wasm.Decode(once, wasm.Limits{})
		if err != nil {
			t.Fatalf("encoded module does not decode: %v", err)
		}
		if !bytes.Equal(again.Encode(), once) {
			t.Fatal("encoding is not stable")
		}
	})
}

func walk(t *testing.T, body []byte) {
	r := wasm.NewInstrReader(body, 0)
	var in wasm.Instr
	pos := 0
	for r.Next(&in) {
		if in.Start != pos || in.End <= in.Start || in.End > len(body) {
			t.Fatalf("instruction at %d:%d after %d", in.Start, in.End, pos)
		}
		pos = in.End
	}
	if r.Err() == nil && pos != len(body) {
		t.Fatalf("stopped at %d of %d without an error", pos, len(body))
	}
}
