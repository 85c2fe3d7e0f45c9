package tools_test

import "testing"

// BenchmarkExec is a command through everything that stands before it: the policy, the schema, the guard and the limits.
func BenchmarkExec(b *testing.B) {
	set := newBench(b, "{}").set
	batch := calls("exec", `{"command":"echo x"}`)
	for b.Loop() {
		if o := set.Batch(b.Context(), batch, nil)[0]; o.Result.Text() != "x\n" {
			b.Fatal(o.Result.Text())
		}
	}
}

// BenchmarkRead reads a small file.
func BenchmarkRead(b *testing.B) {
	bench := newBench(b, "{}")
	bench.put("f", "hello\n")
	batch := calls("read", `{"path":"f"}`)
	for b.Loop() {
		if o := bench.set.Batch(b.Context(), batch, nil)[0]; o.Result.IsError {
			b.Fatal(o.Result.Text())
		}
	}
}
