package sed_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"openclaw/toolwasm/guest/command"
	"openclaw/toolwasm/guest/sed"
)

// benchText makes a file of words in lines, one line in a hundred with an error code.
func benchText(b *testing.B) (name string, size int64) {
	b.Helper()
	const bytesWanted = 16 << 20
	rnd := rand.New(rand.NewPCG(1, 2))
	words := make([]string, 5000)
	for i := range words {
		w := make([]byte, 2+rnd.IntN(8))
		for j := range w {
			w[j] = "etaoinshrdlucmfwyp"[rnd.IntN(18)]
		}
		words[i] = string(w)
	}
	var text bytes.Buffer
	for text.Len() < bytesWanted {
		for range 3 + rnd.IntN(12) {
			text.WriteString(words[rnd.IntN(len(words))])
			text.WriteByte(' ')
		}
		if rnd.IntN(100) == 0 {
			fmt.Fprintf(&text, "error: code=%d", rnd.IntN(1000))
		}
		text.WriteByte('\n')
	}
	name = filepath.Join(b.TempDir(), "text")
	if err := os.WriteFile(name, text.Bytes(), 0o644); err != nil {
		b.Fatal(err)
	}
	return name, int64(text.Len())
}

// BenchmarkSed measures the command beside the native one, where there is one.
func BenchmarkSed(b *testing.B) {
	name, size := benchText(b)
	table := command.NewTable(sed.Commands())
	for _, args := range []string{
		`s/error/warning/`, `s/e/E/g`, `-n /error/p`, `s/^[^t]*t//`, `-E s/([a-z]+).([a-z]+)/\2-\1/`, `-E s/[0-9]+$/N/`, `y/abc/xyz/`, `1~3d`,
	} {
		argv := append(strings.Fields(args), name)
		b.Run("ours/"+args, func(b *testing.B) {
			b.SetBytes(size)
			for range b.N {
				command.Start(&command.Proc{
					Ctx: context.Background(), Name: "sed", Args: argv, Dir: "/", Env: command.Vars{},
					Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: io.Discard, Table: table,
				}, table["sed"])
			}
		})
		native, err := exec.LookPath("sed")
		if err != nil {
			continue
		}
		b.Run("native/"+args, func(b *testing.B) {
			b.SetBytes(size)
			for range b.N {
				cmd := exec.Command(native, argv...)
				cmd.Env = []string{"LC_ALL=C.UTF-8"}
				var out bytes.Buffer
				cmd.Stdout = &out // kept, as ours is
				_ = cmd.Run()
			}
		})
	}
}
