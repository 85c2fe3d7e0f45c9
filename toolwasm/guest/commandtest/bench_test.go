package commandtest_test

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
	"openclaw/toolwasm/guest/search"
	"openclaw/toolwasm/guest/sed"
)

func BenchmarkGrep(b *testing.B) {
	benchmark(b, search.Commands(), "grep",
		`-c error`, `-c e`, `-v e`, `-n error`, `-ic ERROR`, `-cE code=[0-9]{3}$`, `-cE (foo|bar|error).*[0-9]`, `-c ^[aeiou]`,
		`-cw the`, `-o code=[0-9]*`, `-cP code=\d+`, `-c \([a-z]\)\1`,
	)
}

func BenchmarkSed(b *testing.B) {
	benchmark(b, sed.Commands(), "sed",
		`s/error/warning/`, `s/e/E/g`, `-n /error/p`, `s/^[^t]*t//`, `-E s/([a-z]+).([a-z]+)/\2-\1/`, `-E s/[0-9]+$/N/`, `y/abc/xyz/`, `1~3d`,
	)
}

// benchmark measures a command on a file of text, the same in every run, once with each of the command lines and beside the
// native one where there is one.
func benchmark(b *testing.B, commands []command.Command, name string, lines ...string) {
	b.Helper()
	text, size := writeText(b)
	table := command.NewTable(commands)
	native, err := exec.LookPath(name)
	for _, line := range lines {
		argv := append(strings.Fields(line), text)
		b.Run("ours/"+line, func(b *testing.B) {
			b.SetBytes(size)
			for range b.N {
				command.Start(&command.Proc{
					Ctx: context.Background(), Name: name, Args: argv, Dir: "/", Env: command.Vars{},
					Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: io.Discard, Table: table,
				}, table[name])
			}
		})
		if err != nil {
			continue
		}
		b.Run("native/"+line, func(b *testing.B) {
			b.SetBytes(size)
			for range b.N {
				cmd := exec.Command(native, argv...)
				cmd.Env = []string{"LC_ALL=C.UTF-8"}
				var out bytes.Buffer
				cmd.Stdout = &out // some stop early when nothing is written
				_ = cmd.Run()
			}
		})
	}
}

// writeText makes a file of words in lines, one line in a hundred with an error code.
func writeText(b *testing.B) (name string, size int64) {
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
