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

func decode(t *testing.T, module []byte) *wasm.Module {
	t.Helper()
	m, err := wasm.Decode(module, wasm.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// refillCall is the tail of each charge outside loops that mirror the counter.
func refillCall(fuel, refill uint32) []byte {
	return cat(op(wasm.OpGlobalSet, fuel), op(wasm.OpGlobalGet, fuel), i64c(0), op(i64LtS),
		void(wasm.OpIf), op(wasm.OpCall, refill), end)
}

func TestChargesStandWhereTheyAreDocumented(t *testing.T) {
	i64 := valueTypes{wasm.I64}
	for name, tc := range map[string]struct {
		build func(*builder)
		want  []byte
	}{
		"entry of a function that calls": {
			func(b *builder) { b.Func("", nil, nil, nil, op(wasm.OpCall, 0)) },
			cat(op(wasm.OpGlobalGet, 0), i64c(meter.CostEntry+meter.CostCall), op(wasm.OpI64Sub),
				refillCall(0, 2), op(wasm.OpCall, 1), end),
		},
		"small leaf is left alone": {
			func(b *builder) { b.Func("", i64, i64, nil, op(wasm.OpLocalGet, 0)) },
			cat(op(wasm.OpLocalGet, 0), end),
		},
		"loop that calls pays for a small entry too": {
			func(b *builder) { b.Func("", nil, nil, nil, void(wasm.OpLoop), op(wasm.OpCall, 0), end) },
			cat(void(wasm.OpLoop),
				op(wasm.OpGlobalGet, 0), i64c(meter.CostEntry+meter.CostLoop+meter.CostCall), op(wasm.OpI64Sub),
				refillCall(0, 2), op(wasm.OpCall, 1), end, end),
		},
		"loop that calls nothing keeps the counter in a local": {
			func(b *builder) { b.Func("", nil, nil, nil, void(wasm.OpLoop), end) },
			cat(op(wasm.OpGlobalGet, 0), op(wasm.OpLocalSet, 0), void(wasm.OpLoop),
				op(wasm.OpLocalGet, 0), i64c(meter.CostEntry+meter.CostLoop), op(wasm.OpI64Sub),
				op(wasm.OpLocalTee, 0), op(wasm.OpGlobalSet, 0), op(wasm.OpLocalGet, 0), i64c(0), op(i64LtS),
				void(wasm.OpIf), op(wasm.OpCall, 2), op(wasm.OpGlobalGet, 0), op(wasm.OpLocalSet, 0), end,
				end, end),
		},
		"table.fill is charged by its operand": {
			func(b *builder) {
				b.Tables = []wasm.TableType{{Elem: wasm.FuncRef, Limits: wasm.TypeLimits{Min: 1}}}
				b.Func("", nil, nil, nil, i32c(0), op(wasm.OpRefNull, 0x70), i32c(9), op(wasm.OpTableFill, 0))
			},
			cat(op(wasm.OpGlobalGet, 0), i64c(meter.CostEntry+3*meter.CostSimple+meter.CostBulk), op(wasm.OpI64Sub),
				refillCall(0, 2), i32c(0), op(wasm.OpRefNull, 0x70), i32c(9),
				op(wasm.OpLocalTee, 1), op(wasm.OpGlobalGet, 0), op(wasm.OpLocalGet, 1), op(wasm.OpI64ExtendI32U),
				op(wasm.OpI64Sub), refillCall(0, 2), op(wasm.OpTableFill, 0), end),
		},
		"memory.fill is replaced by a function": {
			func(b *builder) {
				b.Memories = []wasm.TypeLimits{{Min: 1}}
				b.Func("", nil, nil, nil, i32c(0), i32c(0), i32c(9), op(wasm.OpMemoryFill, 0))
			},
			cat(op(wasm.OpGlobalGet, 0), i64c(meter.CostEntry+3*meter.CostSimple+meter.CostBulk), op(wasm.OpI64Sub),
				refillCall(0, 2), i32c(0), i32c(0), i32c(9), op(wasm.OpCall, 3), end),
		},
	} {
		t.Run(name, func(t *testing.T) {
			var b builder
			tc.build(&b)
			m := decode(t, mustRewrite(t, b.Encode()).Wasm)
			if got := m.Code[0].Body; !bytes.Equal(got, tc.want) {
				t.Errorf("body\n got %x\nwant %x", got, tc.want)
			}
		})
	}
}

func TestFunctionIndicesFollowTheAddedImport(t *testing.T) {
	var b builder
	b.AddType(nil, nil)
	b.Imports = []wasm.Import{{Module: "env", Name: "f"}}
	first := b.Func("first", nil, nil, nil, op(wasm.OpCall, 0), op(wasm.OpRefFunc, 1), op(wasm.OpDrop), op(wasm.OpReturnCall, 1))
	b.Tables = []wasm.TableType{{Elem: wasm.FuncRef, Limits: wasm.TypeLimits{Min: 4}}}
	b.Elements = []wasm.Element{
		{Type: wasm.FuncRef, Offset: wasm.I32Const(0), Funcs: []uint32{0, first}},
		{
			Type: wasm.FuncRef, Mode: wasm.Passive, UsesExprs: true,
			Exprs: []wasm.ConstExpr{append(op(wasm.OpRefFunc, first), end...), append(op(wasm.OpRefNull, 0x70), end...)},
		},
	}
	b.Globals = []wasm.Global{{
		Type: wasm.GlobalType{Value: wasm.FuncRef}, Init: append(op(wasm.OpRefFunc, first), end...),
	}}
	b.Start = &first
	names := cat([]byte{1, 4}, []byte{1, 1, 1, 'x'}, []byte{2, 6}, []byte{1, 1, 1, 0, 1, 'l'}, []byte{9, 4}, []byte{1, 0, 1, 'd'})
	b.Customs = []wasm.Custom{{Name: "name", Bytes: names, After: wasm.SectionCode}}

	out := mustRewrite(t, b.Encode())
	m := decode(t, out.Wasm)
	if im := m.Imports[1]; im.Module != meter.ImportModule || im.Name != meter.ImportName || im.Kind != wasm.ExternFunc {
		t.Errorf("import 1 is %v", im)
	}
	if m.Exports[0].Index != 2 {
		t.Errorf("first is exported as function %d, want 2", m.Exports[0].Index)
	}
	if got := m.Elements[0].Funcs; got[0] != 0 || got[1] != 2 {
		t.Errorf("element funcs are %v, want [0 2]", got)
	}
	if got, want := m.Elements[1].Exprs[0], append(op(wasm.OpRefFunc, 2), end...); !bytes.Equal(got, want) {
		t.Errorf("element expression is %x, want %x", got, want)
	}
	if got, want := m.Globals[0].Init, append(op(wasm.OpRefFunc, 2), end...); !bytes.Equal(got, want) {
		t.Errorf("global initialiser is %x, want %x", got, want)
	}
	tail := cat(op(wasm.OpCall, 0), op(wasm.OpRefFunc, 2), op(wasm.OpDrop), op(wasm.OpReturnCall, 2), end)
	if !bytes.HasSuffix(m.Code[0].Body, tail) {
		t.Errorf("body is %x, want it to end in %x", m.Code[0].Body, tail)
	}
	if !out.HasStart || m.Start != nil {
		t.Error("the start function is not taken out")
	}
	if x := m.Exports[len(m.Exports)-1]; x.Name != out.StartExport || x.Index != 2 {
		t.Errorf("start is exported as %v", x)
	}
	section := m.Customs[0].Bytes
	for _, want := range [][]byte{{2, 1, 'x'}, {2, 6, 1, 2, 1, 0, 1, 'l'}, []byte("\x01" + "\x15" + meter.ImportModule + "."), {9, 4, 1, 0, 1, 'd'}} {
		if !bytes.Contains(section, want) {
			t.Errorf("name section %q lacks %q", section, want)
		}
	}
}

func TestDescriptionIsOfTheOriginalModule(t *testing.T) {
	var b builder
	b.AddType(valueTypes{wasm.I32}, nil)
	b.Imports = []wasm.Import{
		{Module: "env", Name: "f"},
		{Module: "env", Name: "g", Kind: wasm.ExternGlobal, Global: wasm.GlobalType{Value: wasm.F64, Mutable: true}},
	}
	b.Memory(2, 9)
	b.Globals = []wasm.Global{
		{Type: wasm.GlobalType{Value: wasm.I32}, Init: wasm.I32Const(1)},
		{Type: wasm.GlobalType{Value: wasm.I64, Mutable: true}, Init: wasm.I64Const(1)},
	}
	b.Func("run", nil, valueTypes{wasm.I32}, nil, i32c(1))
	m := mustRewrite(t, b.Encode())

	if !m.HasMemory || m.MemoryMin != 2 || m.MemoryMax != 9 {
		t.Errorf("memory is %t %d %d", m.HasMemory, m.MemoryMin, m.MemoryMax)
	}
	if len(m.Imports) != 2 || m.Imports[0].Type.Func.Params[0] != wasm.I32 || !m.Imports[1].Type.Global.Mutable {
		t.Errorf("imports are %+v", m.Imports)
	}
	if len(m.Exports) != 2 || m.Exports[0].Type.Memory.Max != 9 || m.Exports[1].Type.Func.Results[0] != wasm.I32 {
		t.Errorf("exports are %+v", m.Exports)
	}
	want := []meter.Global{
		{ExportName: meter.ReservedPrefix + "global.2", Type: wasm.I64},
		{ExportName: m.FuelGlobal, Type: wasm.I64},
	}
	if len(m.Globals) != 2 || m.Globals[0] != want[0] || m.Globals[1] != want[1] {
		t.Errorf("globals are %+v, want %+v", m.Globals, want)
	}
	if m.HasStart || m.StartExport != "" {
		t.Error("a start function is reported")
	}
}

func TestTablesAreBoundedTogether(t *testing.T) {
	var b builder
	b.Tables = []wasm.TableType{
		{Elem: wasm.FuncRef, Limits: wasm.TypeLimits{Min: 1}},
		{Elem: wasm.FuncRef, Limits: wasm.TypeLimits{Min: 2, Max: 5, HasMax: true}},
		{Elem: wasm.FuncRef, Limits: wasm.TypeLimits{Min: 3, Max: 100, HasMax: true}},
	}
	m, err := meter.Rewrite(b.Encode(), meter.Options{MaxTableElements: 36})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []uint32{11, 5, 13} {
		if l := decode(t, m.Wasm).Tables[i].Limits; !l.HasMax || l.Max != want {
			t.Errorf("table %d got %+v, want at most %d", i, l, want)
		}
	}
	if _, err := meter.Rewrite(b.Encode(), meter.Options{MaxTableElements: 5}); !errors.Is(err, wasm.ErrLimit) {
		t.Errorf("6 elements for a limit of 5: %v", err)
	}
}

func TestUseOfTablesAndSegmentsIsReported(t *testing.T) {
	table := func(b *builder) {
		b.Tables = []wasm.TableType{{Elem: wasm.FuncRef, Limits: wasm.TypeLimits{Min: 1}}}
		b.Elements = []wasm.Element{{Type: wasm.FuncRef, Mode: wasm.Passive}}
	}
	n := uint32(1)
	for name, tc := range map[string]struct {
		body           []byte
		mutates, drops bool
	}{
		"table.get":  {cat(i32c(0), op(wasm.OpTableGet, 0), op(wasm.OpDrop)), false, false},
		"table.set":  {cat(i32c(0), op(wasm.OpRefNull, 0x70), op(wasm.OpTableSet, 0)), true, false},
		"table.init": {cat(i32c(0), i32c(0), i32c(0), op(wasm.OpTableInit, 0, 0)), true, false},
		"elem.drop":  {op(wasm.OpElemDrop, 0), false, true},
		"data.drop":  {op(wasm.OpDataDrop, 0), false, true},
	} {
		var b builder
		table(&b)
		b.DataCount, b.Data = &n, []wasm.Data{{Mode: wasm.Passive}}
		b.Func("", nil, nil, nil, tc.body)
		m := mustRewrite(t, b.Encode())
		if m.MutatesTables != tc.mutates || m.DropsSegments != tc.drops {
			t.Errorf("%s: mutates %t, drops %t", name, m.MutatesTables, m.DropsSegments)
		}
	}
}

// An index that is out of range in the original must not reach what was added.
func TestAddedItemsAreOutOfTheGuestsReach(t *testing.T) {
	i32 := valueTypes{wasm.I32}
	for name, build := range map[string]func(*builder){
		"fuel counter by index":        func(b *builder) { b.Func("", nil, nil, nil, i64c(1<<40), op(wasm.OpGlobalSet, 0)) },
		"fuel counter in an export":    func(b *builder) { b.Exports = []wasm.Export{{Name: "x", Kind: wasm.ExternGlobal}} },
		"refill function by call":      func(b *builder) { b.Func("", nil, nil, nil, op(wasm.OpCall, 1)) },
		"refill function by ref.func":  func(b *builder) { b.Func("", nil, nil, nil, op(wasm.OpRefFunc, 1), op(wasm.OpDrop)) },
		"refill function in an export": func(b *builder) { b.Exports = []wasm.Export{{Name: "x", Index: 0}} },
		"refill function as start":     func(b *builder) { b.Start = new(uint32) },
		"scratch local":                func(b *builder) { b.Func("", i32, nil, nil, op(wasm.OpLocalGet, 1), op(wasm.OpDrop)) },
		"added type":                   func(b *builder) { b.Func("", nil, nil, nil, op(wasm.OpBlock, 1), end) },
		"refill function in an element": func(b *builder) {
			b.Elements = []wasm.Element{{Mode: wasm.Passive, Type: wasm.FuncRef, Funcs: []uint32{0}}}
		},
		"fuel counter in an offset": func(b *builder) {
			b.Memory(1, 1)
			b.Data = []wasm.Data{{Offset: append(op(wasm.OpGlobalGet, 0), end...)}}
		},
	} {
		t.Run(name, func(t *testing.T) {
			var b builder
			build(&b)
			if _, err := meter.Rewrite(b.Encode(), meter.Options{}); !errors.Is(err, wasm.ErrMalformed) {
				t.Errorf("got %v, want %v", err, wasm.ErrMalformed)
			}
		})
	}
}

func TestReservedNamesAreRefused(t *testing.T) {
	var im, ex builder
	im.AddType(nil, nil)
	im.Imports = []wasm.Import{{Module: meter.ImportModule, Name: "anything"}}
	ex.Func(meter.ReservedPrefix+"fuel", nil, nil, nil)
	for name, b := range map[string]*builder{"import": &im, "export": &ex} {
		if _, err := meter.Rewrite(b.Encode(), meter.Options{}); !errors.Is(err, meter.ErrReserved) {
			t.Errorf("%s: got %v, want %v", name, err, meter.ErrReserved)
		}
	}
}

func TestBadBodiesAreRefusedWithTheirPosition(t *testing.T) {
	for name, tc := range map[string]struct {
		body []byte
		want error
		text string
	}{
		"instruction after the end": {cat(end, op(wasm.OpNop)), wasm.ErrMalformed, "after the end"},
		"missing end":               {void(wasm.OpBlock), wasm.ErrMalformed, "not ended"},
		"else in a block":           {cat(void(wasm.OpBlock), op(wasm.OpElse), end), wasm.ErrMalformed, "else without if"},
		"second else":               {cat(i32c(0), void(wasm.OpIf), op(wasm.OpElse), op(wasm.OpElse), end), wasm.ErrMalformed, "else without if"},
		"atomic":                    {[]byte{0xfe, 0, 2, 0}, wasm.ErrUnsupported, "0xfe"},
		"deep nesting":              {bytes.Repeat(void(wasm.OpBlock), 400), wasm.ErrLimit, "nested"},
	} {
		var b builder
		b.Func("", nil, nil, nil, op(wasm.OpNop))
		b.Func("", nil, nil, nil, tc.body)
		_, err := meter.Rewrite(b.Encode(), meter.Options{MaxNesting: 100})
		if !errors.Is(err, tc.want) || !strings.Contains(err.Error(), tc.text) || !strings.Contains(err.Error(), "code[1] at 0x") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestLimitsAreEnforced(t *testing.T) {
	var b builder
	b.Tables = []wasm.TableType{{Elem: wasm.FuncRef, Limits: wasm.TypeLimits{Min: 50}}}
	b.Func("", nil, nil, locals(wasm.I32, 50), bytes.Repeat(op(wasm.OpNop), 50))
	b.Func("", nil, nil, nil)
	module := b.Encode()
	for name, opt := range map[string]meter.Options{
		"module": {MaxModuleSize: 60}, "functions": {MaxFunctions: 1}, "body": {MaxBodySize: 40},
		"locals": {MaxLocals: 40}, "table": {MaxTableElements: 40},
	} {
		if _, err := meter.Rewrite(module, opt); !errors.Is(err, wasm.ErrLimit) {
			t.Errorf("%s: got %v, want %v", name, err, wasm.ErrLimit)
		}
	}
	if _, err := meter.Rewrite(module, meter.Options{}); err != nil {
		t.Error(err)
	}
}

func TestOutputIsDeterministic(t *testing.T) {
	var b builder
	for range 1000 {
		fib(&b)
		b.Exports = nil
		b.Func("", nil, nil, nil, bytes.Repeat(cat(void(wasm.OpLoop), end), 200))
	}
	module := b.Encode()
	want := mustRewrite(t, module).Wasm
	for range 3 {
		if !bytes.Equal(mustRewrite(t, module).Wasm, want) {
			t.Fatal("two runs differ")
		}
	}
	r := newRuntime(t, engines["interpreter"])
	if _, err := r.CompileModule(context.Background(), want); err != nil {
		t.Fatal(err)
	}
}

func TestCustomSectionsAreKeptUnlessTheyDescribeOffsets(t *testing.T) {
	var b builder
	b.Func("", nil, nil, nil)
	b.Customs = []wasm.Custom{
		{Name: "first", Bytes: []byte("a")},
		{Name: ".debug_info", Bytes: []byte("b"), After: wasm.SectionCode},
		{Name: "openclaw.skill", Bytes: []byte("c"), After: wasm.SectionCode},
		{Name: "name", Bytes: []byte("\x01\x7f"), After: wasm.SectionCode},
	}
	customs := decode(t, mustRewrite(t, b.Encode()).Wasm).Customs
	if len(customs) != 2 || customs[0].Name != "first" || customs[1].Name != "openclaw.skill" || string(customs[1].Bytes) != "c" {
		t.Errorf("kept %q", customs)
	}
}
