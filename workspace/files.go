package workspace

import (
	"embed"
	"slices"
)

// The bootstrap files: what an agent knows of itself, its user and its work before a conversation begins.
const (
	FileAgents    = "AGENTS.md"
	FileSoul      = "SOUL.md"
	FileIdentity  = "IDENTITY.md"
	FileUser      = "USER.md"
	FileTools     = "TOOLS.md" // older workspaces have it; its content now belongs in AGENTS.md
	FileBootstrap = "BOOTSTRAP.md"
	FileMemory    = "MEMORY.md"
)

// Directories of a workspace that say that somebody lives there.
const (
	dirMemory = "memory"
	dirSkills = "skills"
	fileSkill = "SKILL.md"
)

// BootstrapFiles lists the names of bootstrap files in the order in which a prompt has them.
func BootstrapFiles() []string {
	return []string{FileAgents, FileSoul, FileIdentity, FileUser, FileTools, FileBootstrap, FileMemory}
}

// quietlyAbsent are the bootstrap files that need not exist.
var quietlyAbsent = []string{FileUser, FileTools, FileMemory}

// profileFiles are the files by which an agent's own life in a workspace shows.
var profileFiles = []string{FileSoul, FileIdentity, FileUser}

// OptionalFiles lists the bootstrap files that seeding can leave out.
func OptionalFiles() []string { return slices.Clone(profileFiles) }

// seededFiles are those that a new workspace is given, besides BOOTSTRAP.md.
var seededFiles = append([]string{FileAgents}, profileFiles...)

//go:embed templates/*.md
var templates embed.FS

// Template is the text that seeding gives a file, and whether there is one.
func Template(name string) (text []byte, ok bool) {
	text, err := templates.ReadFile("templates/" + name)
	return text, err == nil
}
