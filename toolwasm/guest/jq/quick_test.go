package jq

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// readSlowly reads all values without the quick reader.
func readSlowly(text string) (values []any, err error) {
	d := newTextDecoder([]byte(text))
	d.byteOrderMark()
	for d.blanks() {
		d.unusual = true
		v, err := d.value(needAll())
		if err != nil {
			return values, err
		}
		values = append(values, v)
	}
	return values, nil
}

// readWith reads all values with a decoder.
func readWith(d *decoder, each func(any)) error {
	for {
		v, err := d.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		each(v)
	}
}

// texts are inputs of every kind, right and wrong.
var texts = []string{
	`{"a":1,"b":[true,false,null,{"c":"d"}],"e":{}}`, ` [ ] { } [ [ ] , { } ]`, `{"a":1}{"a":2} {"b":1,"a":3}` + "\n" + `{"a":4,"c":5}`,
	`{"a":1,"b":2,"a":3}`, `[{"a":1,"a":2},{"a":{"a":1,"b":0,"a":2}}]`, `"x" 1 -0 [-0, 0, 1.50, 1e3, -1.0E-2, 123456789012345678901, 1e999]`,
	`[01]`, `[+1]`, `[.5]`, `[5.]`, `[1e]`, `[nan]`, `[NaN,Infinity,-Infinity]`, `[nul]`, `[truee]`, `[-]`, `[1 2]`, `[1,]`, `[,1]`, `{"a"}`, `{"a":}`,
	`{"a":1,}`, `{,}`, `{1:2}`, `{"a" 1}`, `[}`, `{]`, `[1}`, `{"a":1]`, `]`, `{"a":[1,{"b":2}`, `["abc`, `["a\`, `["\u12`, `{"a`, `{"a":"b`, `[1`, `{"a":1`,
	`["\n\t\"\\\/\b\f\r\u0041\ud83d\ude00\ud800\ud800x\u00e9"]`, `["\x"]`, `["\u12g4"]`, `{"\u0061":1,"a":2}`, `{"é":"ü","日本":"語","é":1}`,
	"[\"a\nb\x01\x7f\"]", "[\"\xff\xfe\", \"é\xc3\"]", "{\"\xff\":1}", "\xef\xbb\xbf[1]", "\x1e[1]\x1e{\"a\":2}", "[1]\x00", "[1,\x0b2]",
	strings.Repeat("[", 70) + "1" + strings.Repeat("]", 70), strings.Repeat(`{"a":`, 70) + `"x"` + strings.Repeat("}", 70), strings.Repeat("[", 70),
	`{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6,"g":7,"h":8,"i":9,"j":10,"k":11,"l":12,"m":13,"n":14,"o":15,"p":16,"q":17,"r":18}`,
	`{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6,"g":7,"h":8,"i":9,"j":10,"k":11,"l":12,"m":13,"n":14,"o":15,"p":16,"q":17,"a":18}`,
}

// checkQuick compares the quick reader and its copies with the decoder by itself.
func checkQuick(t *testing.T, text string) {
	t.Helper()
	want, wantErr := readSlowly(text)
	sources := map[string]func() *decoder{
		"whole":   func() *decoder { return newTextDecoder([]byte(text)) },
		"by byte": func() *decoder { return newDecoder(iotest.OneByteReader(strings.NewReader(text))) },
		"by half": func() *decoder { return newDecoder(iotest.HalfReader(strings.NewReader(text))) },
	}
	for name, source := range sources {
		for _, copying := range []*style{nil, {compact: true}, {indent: 2}, {tab: true, ascii: true}} {
			d := source()
			d.copying = copying
			i := 0
			err := readWith(d, func(v any) {
				st := copying
				if st == nil {
					st = &style{compact: true}
				}
				got := string(appendValue(nil, v, st, 0))
				if d.copied && got != string(d.text) {
					t.Errorf("%s: %q: copy %q, value %q", name, text, d.text, got)
				}
				if i >= len(want) {
					t.Errorf("%s: %q: one more value: %s", name, text, got)
				} else if w := string(appendValue(nil, want[i], st, 0)); got != w {
					t.Errorf("%s: %q: got %s, want %s", name, text, got, w)
				}
				i++
			})
			if i < len(want) || fmt.Sprint(err) != fmt.Sprint(wantErr) {
				t.Errorf("%s: %q: got %d values and error %v, want %d and %v", name, text, i, err, len(want), wantErr)
			}
		}
	}
}

func TestTheQuickReaderReadsAsTheDecoderDoes(t *testing.T) {
	for _, text := range texts {
		checkQuick(t, text)
		checkQuick(t, `{"a":1,"skipped":`+text+`,"b":2}`)
	}
}

// TestWhatIsNotNeededIsCheckedAllTheSame reads values of which nothing is needed.
func TestWhatIsNotNeededIsCheckedAllTheSame(t *testing.T) {
	for _, text := range texts {
		for _, around := range []string{"%s", "[%s]", "[[%s]]", `{"a":%s}`, `{"x":%s,"a":1}`, `[0,{"x":[%s]}]`} {
			text := fmt.Sprintf(around, text)
			want, wantErr := readSlowly(text)
			for _, n := range []*need{nil, needType(), {each: needType()}, {fields: []fieldNeed{{"a", needAll()}}}} {
				d := newDecoder(iotest.HalfReader(strings.NewReader(text)))
				d.need = n
				count := 0
				err := readWith(d, func(any) { count++ })
				if count != len(want) || fmt.Sprint(err) != fmt.Sprint(wantErr) {
					t.Errorf("%q: got %d values and error %v, want %d and %v", text, count, err, len(want), wantErr)
				}
			}
		}
	}
}

func FuzzQuickReader(f *testing.F) {
	for _, text := range texts {
		f.Add(text)
	}
	f.Fuzz(checkQuick)
}

// TestLargeValues reads values that are larger than what is read ahead for the quick reader.
func TestLargeValues(t *testing.T) {
	row := `{"a": 1, "b": "x y", "c": [1, null, {"d": "e"}]}`
	const rows = maxRead/40 + 1000
	text := `{"rows": [` + strings.Repeat(row+",", rows) + row + `], "end": 1}`
	for _, n := range []*need{needAll(), {fields: []fieldNeed{{"rows", &need{each: &need{fields: []fieldNeed{{"a", needAll()}}}}}}}} {
		d := newDecoder(strings.NewReader(text + "\n[1,\n2,,]"))
		d.need = n
		v, err := d.next()
		if err != nil {
			t.Fatal(err)
		}
		list, _ := v.(*object).get("rows")
		items := list.(*array).items
		if len(items) != rows+1 {
			t.Fatalf("got %d rows, want %d", len(items), rows+1)
		}
		if x, _ := items[rows].(*object).get("a"); x != 1.0 {
			t.Errorf("got %v in the last row", x)
		}
		if _, err = d.next(); err == nil || !strings.Contains(err.Error(), "line 3, column 3") {
			t.Errorf("got error %v, want one at line 3, column 3", err)
		}
	}
}
