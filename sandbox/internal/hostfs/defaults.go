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
		".claude", ".cursor", ".codex", ".gemini", ".windsurf", ".kiro", ".continue", ".aider.conf.yml", ".mcp.json", ".openclaw",
	}},
	{"package managers take from them what to run, or where code comes from", []string{
		".npmrc", ".yarnrc", ".yarnrc.yml", ".pnpmfile.cjs", ".cargo/config", ".cargo/config.toml", ".cargo/env", ".cargo/bin",
		".config/pip", ".pip", ".gemrc", ".bundle/config", ".m2/settings.xml", ".gradle/init.d", ".gradle/init.gradle",
	}},
	{"in a home directory, they say who may log in, whom to trust, and what is run to find a key", []string{
		".ssh", ".gnupg", ".aws", ".kube", ".docker", ".config/gcloud", ".netrc", ".git-credentials",
	}},
	{"in a home directory, each login or each shell runs or obeys them", []string{
		".pam_environment", ".xprofile", ".xinitrc", ".xsession", ".xsessionrc", ".xserverrc", ".inputrc", ".bash_aliases",
		".config/autostart", ".config/systemd", ".config/environment.d", ".config/plasma-workspace", ".config/fish", ".config/zsh",
		".local/bin", ".local/lib", ".local/share/systemd", ".local/share/applications", ".oh-my-zsh", "Library/LaunchAgents",
	}},
	{"in a home directory, they are the same for every directory of the user", []string{
		".config/git", ".config/hg", ".hgrc", ".config/jj", ".jjconfig.toml", ".config/nvim", ".config/helix", ".config/zed",
		".config/Code", ".vscode-server", ".emacs", ".emacs.d", ".config/emacs", ".tmux.conf", ".config/tmux", ".screenrc",
		".psqlrc", ".sqliterc", ".ipython", ".jupyter", ".mailcap",
	}},
}
