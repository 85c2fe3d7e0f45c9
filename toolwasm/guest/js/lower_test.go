package js

import (
	"strings"
	"testing"
)

func TestLoweringLeavesTheRestAlone(t *testing.T) {
	for _, src := range []string{
		"const s = `await ${`import('x')`} async function*`", "x.import('a'); x.catch(f)", "// import('x')\n'for await (a of b)'", "/async function* f(){}/.test('import.meta')",
		"async function f() { await g(); }", "try { f() } catch { g() }", "a / b / import_; async = await_", "#!/usr/bin/env node\nlet catch_ = 1",
	} {
		if got := lower(src); got != src {
			t.Errorf("%s\nbecame\n%s", src, got)
		}
	}
}

func TestLoweringKeepsLines(t *testing.T) {
	src := "async function*\nf(\na) {\n  await\n  a;\n  yield* b(\n  );\n}\nfor await (\n const x\n of y\n) z();\ntry {} catch (e) {\n}\nimport\n.meta;\n"
	if got := lower(src); strings.Count(got, "\n") != strings.Count(src, "\n") || got == src {
		t.Errorf("%d lines became %d:\n%s", strings.Count(src, "\n"), strings.Count(got, "\n"), got)
	}
}

// FuzzTexts looks for texts with which the rewriting cannot cope; what it makes of them is the engine's concern.
func FuzzTexts(f *testing.F) {
	for _, seed := range []string{"for await(const x of y)z", "async*f(){yield*a;await b}", "import a,{b as c}from'd'", "export const{a,b:[c]=1}=d", "`${`${a}`}`", "/[/]/g", "a\n/b/g", "export default class{}", `/\p{L}/u`, "({async*[a](){}})", "export*as a from'b'", "{[("} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, src string) {
		s := scan(src)
		at := 0
		for i, tok := range s.tokens {
			if tok.start < at || tok.end < tok.start || tok.end > len(src) || tok.pair >= len(s.tokens) {
				t.Fatalf("token %d of %q is %+v", i, src, tok)
			}
			at = tok.end
		}
		lower(src)
		if isModule(s) {
			parseModule(s)
		}
		placeOf(src, 1, len(src)/2)
		jsonMistake(src)
	})
}
