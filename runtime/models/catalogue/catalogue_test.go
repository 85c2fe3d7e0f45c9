package catalogue

import "testing"

// BenchmarkParse is what the first question about a provider costs.
func BenchmarkParse(b *testing.B) {
	for _, provider := range []string{"anthropic", "openai", "openrouter"} {
		b.Run(provider, func(b *testing.B) {
			for b.Loop() {
				if parse(provider) == nil {
					b.Fatal("no models")
				}
			}
		})
	}
}
