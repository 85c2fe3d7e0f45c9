package sed_test

import (
	"testing"

	"openclaw/toolwasm/guest/commandtest"
	"openclaw/toolwasm/guest/sed"
)

func BenchmarkSed(b *testing.B) {
	commandtest.Benchmark(b, sed.Commands(), "sed",
		`s/error/warning/`, `s/e/E/g`, `-n /error/p`, `s/^[^t]*t//`, `-E s/([a-z]+).([a-z]+)/\2-\1/`, `-E s/[0-9]+$/N/`, `y/abc/xyz/`, `1~3d`,
	)
}
