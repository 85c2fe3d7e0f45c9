package search_test

import (
	"testing"

	"openclaw/toolwasm/guest/commandtest"
	"openclaw/toolwasm/guest/search"
)

func BenchmarkGrep(b *testing.B) {
	commandtest.Benchmark(b, search.Commands(), "grep",
		`-c error`, `-c e`, `-v e`, `-n error`, `-ic ERROR`, `-cE code=[0-9]{3}$`, `-cE (foo|bar|error).*[0-9]`, `-c ^[aeiou]`,
		`-cw the`, `-o code=[0-9]*`, `-cP code=\d+`, `-c \([a-z]\)\1`,
	)
}
