package hostfs

// DefaultProtection returns what programs on the host run, load or obey when a user later works in the directory:
// commands of version control and what configures them, environments of shells, startup files of interpreters and
// debuggers, and the tasks and settings of editors and agents.
func DefaultProtection() Protection {
	var all Protection
	for _, g := range defaults {
		all = append(all, g.paths...)
	}
	return all
}

// protectedGroup is some protected paths with one reason.
type protectedGroup struct {
	reason string // completes "because …"
	paths  []string
}

// defaults is shown in docs/protected.md.
var defaults = []protectedGroup{
	{"git runs hooks and the commands that its configuration names; `commondir`, `modules` and `worktrees` lead to other configurations", []string{
		".git/hooks", ".git/config", ".git/config.worktree", ".git/commondir", ".git/modules", ".git/worktrees",
		".gitmodules", ".gitconfig",
	}},
	{"git takes from them which filters to run, or where to fetch from and push to", []string{
		".git/info", ".git/remotes", ".git/branches",
	}},
	{"the to-do list of a rebase or sequencer may hold commands", []string{
		".git/rebase-merge", ".git/rebase-apply", ".git/sequencer",
	}},
	{"other version control runs hooks and commands from them", []string{
		".hg/hgrc", ".hg/hgrc-not-shared", ".jj/repo", ".sl/config",
	}},
	{"managers of git hooks run what they say", []string{
		".githooks", ".husky", ".pre-commit-config.yaml", ".pre-commit-config.yml",
		".lefthook.yml", "lefthook.yml", ".lefthook.yaml", "lefthook.yaml", ".overcommit.yml",
	}},
	{"shells and their helpers read them when a user enters the directory", []string{
		".envrc", ".direnv", ".mise.toml", "mise.toml", ".mise.local.toml", "mise.local.toml", ".mise", ".config/mise",
		".tool-versions",
		".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".profile",
		".zshrc", ".zshenv", ".zprofile", ".zlogin", ".zlogout",
	}},
	{"editors and development containers run tasks and servers from them", []string{
		".vscode", ".idea", ".fleet", ".zed", ".helix", ".devcontainer", ".devcontainer.json",
		".vim", ".vimrc", ".exrc", ".nvimrc", ".nvim.lua", ".lvimrc", ".dir-locals.el", ".dir-locals-2.el",
	}},
	{"debuggers and interpreters run them when they start in the directory", []string{
		".gdbinit", ".lldbinit", ".pdbrc", ".pdbrc.py", ".irbrc", ".pryrc", ".Rprofile", ".ghci", ".ocamlinit", ".iex.exs",
	}},
	{"coding agents run hooks and servers from them", []string{
		".claude", ".cursor", ".codex", ".gemini", ".windsurf", ".kiro", ".continue", ".aider.conf.yml", ".mcp.json",
	}},
}
