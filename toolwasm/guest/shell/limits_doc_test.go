package shell_test

import (
	"flag"
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the generated tables in docs")

// TestLimitsAreDocumented keeps docs/shell-limits.md in step with the constants of limits.go and what their comments say.
func TestLimitsAreDocumented(t *testing.T) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "limits.go", nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	pkg, err := new(types.Config).Check("shell", fset, []*ast.File{file}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString("# Limits of the shell\n\n")
	b.WriteString("Generated from `toolwasm/guest/shell/limits.go` by `go test ./toolwasm/guest/shell -run Documented -update`.\n\n")
	b.WriteString("They hold inside of one call, whose own limits are in [limits.md](limits.md). A script that reaches one gets a message on\n")
	b.WriteString("standard error and a status other than 0; nothing is cut off silently.\n\n")
	b.WriteString("| name | value | meaning |\n|---|---|---|\n")
	for _, decl := range file.Decls {
		group, ok := decl.(*ast.GenDecl)
		if !ok || group.Tok != token.CONST {
			continue
		}
		for _, spec := range group.Specs {
			c := spec.(*ast.ValueSpec)
			name := c.Names[0].Name
			what := strings.Join(strings.Fields(strings.TrimPrefix(c.Doc.Text(), name)), " ")
			if what == "" {
				t.Errorf("%s: no comment", name)
			}
			value, _ := constant.Int64Val(pkg.Scope().Lookup(name).(*types.Const).Val())
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", name, amount(value), what)
		}
	}
	name := filepath.Join("..", "..", "..", "docs", "shell-limits.md")
	if *update {
		if err := os.WriteFile(name, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(name); err != nil || string(got) != b.String() {
		t.Errorf("%s is not what the constants say: run with -update (%v)", name, err)
	}
}

func amount(n int64) string {
	if n >= 1<<20 && n%(1<<20) == 0 {
		return fmt.Sprintf("%d Mi", n>>20)
	}
	return fmt.Sprint(n)
}
