package shell

import "strings"

// advice says what there is instead of a well-known command that is not installed, and how it can be had.
func (sh *Shell) advice(name string) string {
	switch name {
	case "python", "python3":
		return ": " + name + " is not installed in this sandbox; use " + sh.instead() + installHint(name) + " --preset python"
	case "perl", "ruby", "php", "lua", "sqlite3":
		return ": " + name + " is not installed in this sandbox; use " + sh.instead() + installHint(name)
	case "node", "js", "nodejs", "deno", "bun":
		if name != "js" && sh.has("js") {
			return ": " + name + " is not installed in this sandbox; js runs JavaScript"
		}
		return ": " + name + " is not installed in this sandbox; use jq for JSON and the shell for scripts" + installHint(name)
	case "npm", "npx", "yarn", "pnpm", "pip", "pip3", "uv", "pipx", "apt", "apt-get", "dnf", "yum", "apk", "brew", "cargo", "gem":
		return ": packages cannot be installed in this sandbox" + sh.packages(name) + "; `compgen -c` lists the commands that exist"
	case "curl", "wget", "ssh", "scp", "sftp", "nc", "ping", "telnet", "ftp", "rsync", "dig", "nslookup":
		return ": this sandbox has no network access from the shell"
	case "sudo", "su", "doas":
		return ": there are no other users in this sandbox; run the command without " + name
	case "docker", "podman", "kubectl", "systemctl", "service", "crontab":
		return ": " + name + " is not available in this sandbox, which has no services or containers"
	case "git":
		return ": git is not available in this sandbox; diff and patch are"
	case "gcc", "cc", "clang", "g++", "make", "cmake", "go", "rustc", "java", "javac", "tsc":
		return ": there is no compiler or build tool in this sandbox; run builds outside of it"
	case "vim", "vi", "nano", "emacs", "less", "more":
		return ": there is no terminal in this sandbox; use cat, sed or a here-document"
	}
	return ""
}

// installHint says how the operator adds a program.
func installHint(name string) string {
	return "; the operator can install it: openclaw programs add " + name + " FILE.wasm"
}

// has reports whether a command can be run.
func (sh *Shell) has(name string) bool {
	_, status := sh.resolve(name)
	return status == 0
}

// instead lists what scripts can be written in here.
func (sh *Shell) instead() string {
	list := []string{"the shell", "awk", "sed", "jq"}
	if sh.has("js") {
		list = append([]string{"js (JavaScript)"}, list...)
	}
	last := len(list) - 1
	return strings.Join(list[:last], ", ") + " and " + list[last] + " instead"
}

// packages says where the packages of a language are found when they are files already.
func (sh *Shell) packages(manager string) string {
	switch manager {
	case "npm", "npx", "yarn", "pnpm":
		if sh.has("js") {
			return "; js finds those in node_modules, and runs scripts without npm"
		}
	}
	return ""
}
