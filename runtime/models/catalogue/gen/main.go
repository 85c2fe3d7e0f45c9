// Command gen makes the files of package catalogue from those of the module charm.land/catwalk, which collects what providers
// publish about their models:
//
//	go mod download -json charm.land/catwalk@VERSION      # names the ZIP
//	go run ./runtime/models/catalogue/gen -zip ZIP -out runtime/models/catalogue/data
package main

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"

	"openclaw/runtime/models/catalogue"
)

// files are the providers and the files of the source that have their models.
var files = map[string]string{
	"openai": "openai", "anthropic": "anthropic", "google": "gemini", "openrouter": "openrouter", "groq": "groq", "xai": "xai",
	"deepseek": "deepseek", "fireworks": "fireworks", "cerebras": "cerebras", "moonshot": "moonshot", "zai": "zai", "minimax": "minimax",
	"huggingface": "huggingface", "vercel-ai-gateway": "vercel", "opencode": "opencode-zen", "venice": "venice", "nebius": "nebius",
	"baseten": "baseten", "chutes": "chutes", "synthetic": "synthetic", "scaleway": "scaleway",
}

// source is a provider's file. What is cached "in" is written to the provider's cache, what is cached "out" is read from it.
type source struct {
	Models []struct {
		ID                 string   `json:"id"`
		Name               string   `json:"name"`
		CostPer1MIn        float64  `json:"cost_per_1m_in"`
		CostPer1MOut       float64  `json:"cost_per_1m_out"`
		CostPer1MInCached  float64  `json:"cost_per_1m_in_cached"`
		CostPer1MOutCached float64  `json:"cost_per_1m_out_cached"`
		ContextWindow      int64    `json:"context_window"`
		DefaultMaxTokens   int64    `json:"default_max_tokens"`
		CanReason          bool     `json:"can_reason"`
		ReasoningLevels    []string `json:"reasoning_levels"`
		DefaultEffort      string   `json:"default_reasoning_effort"`
		SupportsImages     bool     `json:"supports_attachments"`
	} `json:"models"`
}

func main() {
	archive := flag.String("zip", "", "the module's `ZIP`")
	out := flag.String("out", "", "the `DIRECTORY` that the files are written to")
	flag.Parse()
	if err := generate(*archive, *out); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func generate(archive, out string) error {
	z, err := zip.OpenReader(archive)
	if err != nil {
		return err
	}
	defer z.Close()
	var errs []error
	for provider, name := range files {
		errs = append(errs, provide(&z.Reader, name, filepath.Join(out, provider+".json")))
	}
	return errors.Join(errs...)
}

// provide writes one provider's file.
func provide(z *zip.Reader, name, out string) error {
	text, err := find(z, "internal/providers/configs/"+name+".json")
	if err != nil {
		return err
	}
	var s source
	if err := json.Unmarshal(text, &s); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	var b bytes.Buffer
	for i, m := range s.Models {
		line, err := json.Marshal(catalogue.Model{
			ID: m.ID, Name: strings.TrimSpace(m.Name), Window: m.ContextWindow, MaxTokens: m.DefaultMaxTokens,
			Reasoning: m.CanReason, Levels: m.ReasoningLevels, Level: m.DefaultEffort, Images: m.SupportsImages,
			Cost: &catalogue.Cost{Input: m.CostPer1MIn, Output: m.CostPer1MOut, CacheRead: m.CostPer1MOutCached, CacheWrite: m.CostPer1MInCached},
		})
		if err != nil {
			return err
		}
		b.WriteString([]string{"[", ",\n"}[min(i, 1)])
		b.Write(line)
	}
	b.WriteString("]\n")
	return os.WriteFile(out, b.Bytes(), 0o644)
}

// find reads the file of the module that has a path, whatever the version in front of it.
func find(z *zip.Reader, want string) ([]byte, error) {
	for _, f := range z.File {
		if _, inModule, ok := strings.Cut(f.Name, "@"); !ok || path.Clean(inModule[strings.IndexByte(inModule, '/')+1:]) != want {
			continue
		}
		r, err := f.Open()
		if err != nil {
			return nil, err
		}
		defer r.Close()
		return io.ReadAll(r)
	}
	return nil, fmt.Errorf("no file %s", want)
}
