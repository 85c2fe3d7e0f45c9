package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
)

// What a directory of transcripts holds.
const (
	legacyIndex      = "sessions.json"
	transcriptSuffix = ".jsonl"
	maxIndexBytes    = 64 << 20
)

// ImportedFile is what came of one transcript of a directory.
type ImportedFile struct {
	File string
	Imported
	Err error // matches ErrExists when the transcript was imported before
}

// legacySession is what the index of older versions says of a session. Everything else in it belongs to features of then.
type legacySession struct {
	SessionID   string `json:"sessionId"`
	SessionFile string `json:"sessionFile"`
	Label       string `json:"label"`
	DisplayName string `json:"displayName"`
}

// ImportDir imports every transcript of a directory in which older versions kept an agent's sessions, under the keys that its
// sessions.json gives them. Each transcript is imported whole or not at all, and by itself. Links that leave the directory are
// not followed. Key and Label of the options are not used.
func (s *Store) ImportDir(ctx context.Context, dir string, o ImportOptions) ([]ImportedFile, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("session: import %s: %w", dir, err)
	}
	defer root.Close()
	index, err := readIndex(root, o.Agent)
	if err != nil {
		return nil, fmt.Errorf("session: import %s/%s: %w", dir, legacyIndex, err)
	}
	names, err := fs.Glob(root.FS(), "*"+transcriptSuffix)
	if err != nil {
		return nil, fmt.Errorf("session: import %s: %w", dir, err)
	}
	slices.Sort(names)
	results := []ImportedFile{}
	for _, name := range names {
		one := o
		one.Name = path.Join(dir, name)
		one.Key, one.Label = index[name].key, index[name].label
		result := ImportedFile{File: one.Name}
		result.Imported, result.Err = s.importFile(ctx, root, name, one)
		results = append(results, result)
		if ctx.Err() != nil {
			return results, context.Cause(ctx)
		}
	}
	return results, nil
}

func (s *Store) importFile(ctx context.Context, root *os.Root, name string, o ImportOptions) (Imported, error) {
	info, err := root.Stat(name)
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("is not a regular file")
	}
	if err != nil {
		return Imported{}, fmt.Errorf("session: import %s: %w", o.Name, err)
	}
	file, err := root.Open(name)
	if err != nil {
		return Imported{}, fmt.Errorf("session: import %s: %w", o.Name, err)
	}
	defer file.Close()
	return s.Import(ctx, file, o)
}

type named struct{ key, label string }

// readIndex gives each transcript that the index names its key and label.
func readIndex(root *os.Root, agent string) (map[string]named, error) {
	file, err := root.Open(legacyIndex)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxIndexBytes+1))
	switch {
	case err != nil:
		return nil, err
	case len(data) > maxIndexBytes:
		return nil, fmt.Errorf("has more than %d bytes", maxIndexBytes)
	}
	var sessions map[string]legacySession
	if err := json.Unmarshal(data, &sessions); err != nil {
		return nil, err
	}
	names := map[string]named{}
	for name, old := range sessions {
		key := NamedKey(agent, name)
		if parsed, err := ParseKey(key); err != nil {
			return nil, err
		} else if parsed.Agent != "" && parsed.Agent != strings.ToLower(agent) {
			return nil, fmt.Errorf("has the key %q, which is not of the agent %q", name, agent)
		}
		transcript := old.SessionID + transcriptSuffix
		if old.SessionFile != "" {
			transcript = path.Base(strings.ReplaceAll(old.SessionFile, `\`, "/"))
		}
		label := old.Label
		if label == "" {
			label = old.DisplayName
		}
		names[transcript] = named{key, label}
	}
	return names, nil
}
