package manifest_test

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"openclaw/skills/bundle"
	"openclaw/skills/capability"
	"openclaw/skills/manifest"
)

// TestTheDocumentedManifestIsOne reads the manifest in docs/bundles.md, and compares what is said there with the constants.
func TestTheDocumentedManifestIsOne(t *testing.T) {
	page, err := os.ReadFile("../../docs/bundles.md")
	if err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile("(?s)```toml\n(.*?)```").FindSubmatch(page)
	if block == nil {
		t.Fatal("there is none")
	}
	text := regexp.MustCompile(`(?m)^script = .*\n`).ReplaceAllString(string(block[1]), "") // it stands there beside a module
	m, err := manifest.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if m.Name != "csv-report" || len(m.Tools) != 1 || m.Requests.Workspace != capability.Read {
		t.Errorf("%+v", m)
	}
	grouped := regexp.MustCompile(`(\d)(\d{3}(?:,|$))`)
	number := func(n int64) string {
		s := fmt.Sprint(n)
		for grouped.MatchString(s) {
			s = grouped.ReplaceAllString(s, "$1,$2")
		}
		return s
	}
	for _, want := range []string{
		fmt.Sprintf("at most %d lower-case", manifest.MaxName),
		fmt.Sprintf("at most %s characters", number(manifest.MaxDescription)),
		capability.Bytes(manifest.DefaultMemory) + " without it",
		capability.Bytes(manifest.DefaultDisk),
		number(manifest.DefaultFuel),
		fmt.Sprintf("a call; %s", manifest.DefaultTimeout),
		fmt.Sprintf("standard error together; %s", capability.Bytes(manifest.DefaultOutput)),
		fmt.Sprintf("at most %d MiB, %s sections and %s functions", bundle.MaxFile>>20, number(bundle.MaxSections), number(bundle.MaxFunctions)),
		fmt.Sprintf("%s assets, of %d MiB each and %d MiB together, %d directories deep", number(bundle.MaxEntries), bundle.MaxAsset>>20, bundle.MaxUnpacked>>20, manifest.MaxDepth),
		fmt.Sprintf("at most %d times", bundle.MaxRatio),
		fmt.Sprintf("at most %d KiB", bundle.MaxDoc>>10),
	} {
		if !strings.Contains(string(page), want) {
			t.Errorf("docs/bundles.md does not say %q", want)
		}
	}
}
