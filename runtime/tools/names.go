package tools

import (
	"fmt"
	"math/rand/v2"
)

// Names of processes are two short words, which a model repeats without a slip.
var (
	adjectives = []string{
		"amber", "brave", "brisk", "calm", "clear", "cool", "crisp", "eager", "early", "faint", "fast", "fine", "fresh", "gentle", "glad",
		"good", "grand", "green", "keen", "kind", "late", "light", "lucky", "mellow", "mild", "neat", "nimble", "plain", "quick", "quiet", "rapid",
		"ready", "rosy", "sharp", "silent", "smooth", "solid", "steady", "swift", "tidal", "tidy", "vivid", "warm", "young",
	}
	nouns = []string{
		"ash", "bay", "bird", "bloom", "breeze", "brook", "canyon", "cedar", "cloud", "coral", "cove", "crane", "creek", "dune", "ember", "falcon",
		"fern", "fjord", "forest", "glade", "grove", "harbor", "hill", "lagoon", "lake", "leaf", "lynx", "maple", "meadow", "otter", "pine", "reef",
		"ridge", "river", "shell", "shore", "slope", "summit", "trail", "valley", "wave", "willow", "wren",
	}
)

// newName makes up a name that is not taken.
func newName(taken func(string) bool) string {
	for range 20 {
		if name := adjectives[rand.IntN(len(adjectives))] + "-" + nouns[rand.IntN(len(nouns))]; !taken(name) {
			return name
		}
	}
	for n := 2; ; n++ {
		if name := fmt.Sprintf("%s-%s-%d", adjectives[rand.IntN(len(adjectives))], nouns[rand.IntN(len(nouns))], n); !taken(name) {
			return name
		}
	}
}
