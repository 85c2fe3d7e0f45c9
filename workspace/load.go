package workspace

import (
	"context"
	"fmt"
	"slices"
)

// Kind is the kind of a session, as far as it decides which bootstrap files the session gets.
type Kind int

// The kinds of sessions.
const (
	KindMain     Kind = iota
	KindOther         // a direct conversation that is not the main one, a hook
	KindGroup         // groups and channels: others read along
	KindSubagent      // works for another session
	KindCron          // runs by the clock
)

// FilesFor lists the bootstrap files that a session of a kind gets, in order. What an agent remembers is for its own
// main session only.
func FilesFor(kind Kind) []string {
	switch kind {
	case KindMain:
		return BootstrapFiles()
	case KindSubagent:
		return []string{FileAgents}
	case KindCron:
		return []string{FileAgents, FileSoul, FileIdentity, FileUser}
	}
	return slices.DeleteFunc(BootstrapFiles(), func(name string) bool { return name == FileMemory })
}

// Status is how a bootstrap file was found.
type Status string

// The ways to find a bootstrap file.
const (
	StatusPresent    Status = "present"
	StatusMissing    Status = "missing"    // it should be there
	StatusUnreadable Status = "unreadable" // something is there and could not, or must not, be read
)

// Source is a bootstrap file as it was found.
type Source struct {
	Name    string
	Status  Status
	Text    string // of a present file
	Reason  string // why it is unreadable
	Invalid bool   // it was no UTF-8 in places, which are U+FFFD in Text
}

// LoadOptions say which bootstrap files a session gets.
type LoadOptions struct {
	Kind Kind
	// Completed tells that the first conversation is over, so that BOOTSTRAP.md means nothing any more.
	Completed bool
	// Optional are files that the operator does not want to be made: they are not missing.
	Optional []string
}

// maxReason bounds how much is said about a file that cannot be read.
const maxReason = 300

// Load reads the bootstrap files of a workspace for a session. One that cannot be read is in the result with the reason. The
// error is for the workspace as a whole.
func Load(ctx context.Context, workspace string, o LoadOptions) ([]Source, error) {
	d, err := openDir(workspace)
	if err != nil {
		return nil, fmt.Errorf("workspace: load %s: %w", workspace, err)
	}
	defer d.close()
	var sources []Source
	for _, name := range FilesFor(o.Kind) {
		if name == FileBootstrap && o.Completed {
			continue
		}
		there, err := d.has(name)
		if err != nil {
			return nil, fmt.Errorf("workspace: load %s: %s: %w", workspace, name, err)
		}
		if there {
			sources = append(sources, d.source(ctx, name))
			continue
		}
		if !slices.Contains(quietlyAbsent, name) && !slices.Contains(o.Optional, name) {
			sources = append(sources, Source{Name: name, Status: StatusMissing})
		}
	}
	return sources, ctx.Err()
}

func (d *dir) source(ctx context.Context, name string) Source {
	data, err := d.read(ctx, name)
	if err != nil {
		return Source{Name: name, Status: StatusUnreadable, Reason: oneLine(err.Error(), maxReason)}
	}
	text, valid := decode(data)
	return Source{Name: name, Status: StatusPresent, Text: text, Invalid: !valid}
}
