// Command vocabulary makes the fingerprints of a tokenizer's vocabulary: a file with a token in base64 and its rank on each line, as
// OpenAI publishes o200k_base.tiktoken.
package main

import (
	"bufio"
	"encoding/base64"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"

	"openclaw/runtime/tokens/internal/fingerprint"
)

func main() {
	out := flag.String("o", "", "file to write")
	flag.Parse()
	if err := run(*out, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "vocabulary:", err)
		os.Exit(1)
	}
}

func run(out string, args []string) error {
	if out == "" || len(args) != 1 {
		return errors.New("usage: vocabulary -o FILE VOCABULARY")
	}
	texts, err := read(args[0])
	if err != nil {
		return fmt.Errorf("read %s: %w", args[0], err)
	}
	return os.WriteFile(out, fingerprint.Build(texts), 0o644)
}

func read(name string) ([]string, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // it was only read
	var texts []string
	for lines := bufio.NewScanner(file); ; {
		if !lines.Scan() {
			return texts, lines.Err()
		}
		token, _, _ := strings.Cut(lines.Text(), " ")
		text, err := base64.StdEncoding.DecodeString(token)
		switch {
		case err != nil:
			return nil, fmt.Errorf("line %d: %w", len(texts)+1, err)
		case len(text) > fingerprint.MaxLength || len(texts) == fingerprint.MaxTexts:
			return nil, fmt.Errorf("line %d is longer than can be kept, or one too many", len(texts)+1)
		}
		texts = append(texts, string(text))
	}
}
