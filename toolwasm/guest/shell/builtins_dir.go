package shell

import (
	"path"
	"strconv"
	"strings"
	"syscall"

	"openclaw/toolwasm/guest/sys"
)

// builtinCd is cd.
func builtinCd(sh *Shell, args []string) int {
	opts, rest, ok := sh.options(args, "LPe@", "cd [-L|[-P [-e]] [-@]] [dir]")
	if !ok {
		return 2
	}
	physical := sh.opt.has(optPhysical)
	for _, o := range opts {
		switch o.letter {
		case 'P':
			physical = true
		case 'L':
			physical = false
		}
	}
	if len(rest) > 1 {
		sh.errorf("cd: too many arguments")
		return 1
	}
	dir, show := "", false
	switch {
	case len(rest) == 0:
		var set bool
		if dir, set = sh.get("HOME"); !set {
			sh.errorf("cd: HOME not set")
			return 1
		}
		if dir == "" {
			return 0
		}
	case rest[0] == "-":
		var set bool
		if dir, set = sh.get("OLDPWD"); !set {
			sh.errorf("cd: OLDPWD not set")
			return 1
		}
		show = true
	default:
		dir = rest[0]
	}
	if !sh.chdirSearch(dir, physical, &show) {
		return 1
	}
	if show {
		sh.print(sh.dir + "\n")
	}
	return 0
}

// chdirSearch changes to a directory, looking through CDPATH.
func (sh *Shell) chdirSearch(dir string, physical bool, show *bool) bool {
	list, _ := sh.get("CDPATH")
	first, _, _ := strings.Cut(dir, "/")
	if list != "" && !strings.HasPrefix(dir, "/") && first != "." && first != ".." {
		for _, base := range strings.Split(list, ":") {
			full := dir
			if base != "" {
				full = strings.TrimRight(base, "/") + "/" + dir
			}
			if sh.chdir(full, physical) == nil {
				*show = *show || base != ""
				return true
			}
		}
	}
	err := sh.chdir(dir, physical)
	if err == nil {
		return true
	}
	sh.errorf("cd: %s: %s", dir, strerror(err))
	return false
}

// chdir changes the directory and sets PWD and OLDPWD.
func (sh *Shell) chdir(dir string, physical bool) error {
	if dir == "" {
		return nil
	}
	full := sh.path(dir)
	info, err := sys.Stat(full)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return syscall.ENOTDIR
	}
	if info.Mode&0o111 == 0 {
		return syscall.EACCES
	}
	next := path.Clean(full)
	if physical {
		if next, err = sh.realDir(full); err != nil {
			return err
		}
	}
	if _, err := sys.Stat(next); err != nil {
		return err
	}
	old := sh.dir
	sh.dir = next
	_ = sh.set("OLDPWD", old)
	_ = sh.set("PWD", next)
	return nil
}

// realDir resolves all symbolic links of an absolute path.
func (sh *Shell) realDir(full string) (string, error) {
	const mostLinks = 40
	parts := strings.Split(full, "/")
	out := "/"
	links := 0
	for len(parts) > 0 {
		p := parts[0]
		parts = parts[1:]
		switch p {
		case "", ".":
			continue
		case "..":
			out = path.Dir(out)
			continue
		}
		next := path.Join(out, p)
		info, err := sys.Lstat(next)
		if err != nil {
			return "", err
		}
		if !info.IsLink() {
			out = next
			continue
		}
		if links++; links > mostLinks {
			return "", syscall.ELOOP
		}
		to, err := sys.Readlink(next)
		if err != nil {
			return "", err
		}
		if strings.HasPrefix(to, "/") {
			out = "/"
		}
		parts = append(strings.Split(to, "/"), parts...)
	}
	return out, nil
}

// builtinPwd is pwd.
func builtinPwd(sh *Shell, args []string) int {
	opts, _, ok := sh.options(args, "LP", "pwd [-LP]")
	if !ok {
		return 2
	}
	physical := sh.opt.has(optPhysical)
	for _, o := range opts {
		physical = o.letter == 'P'
	}
	dir := sh.dir
	if physical {
		if real, err := sh.realDir(dir); err == nil {
			dir = real
		}
	}
	sh.print(dir + "\n")
	return 0
}

// shorten replaces the home directory by ~.
func (sh *Shell) shorten(dir string) string {
	home, _ := sh.get("HOME")
	if home != "" && home != "/" && (dir == home || strings.HasPrefix(dir, home+"/")) {
		return "~" + dir[len(home):]
	}
	return dir
}

// stackIndex reads +N or -N as an index into the directory stack.
func (sh *Shell) stackIndex(name, arg string) (int, bool) {
	total := len(sh.dirs) + 1
	n, err := strconv.Atoi(arg[1:])
	if err != nil {
		sh.errorf("%s: %s: invalid number", name, arg)
		return 0, false
	}
	if arg[0] == '-' {
		n = total - 1 - n
	}
	if n < 0 || n >= total {
		if total == 1 {
			sh.errorf("%s: directory stack empty", name)
		} else {
			sh.errorf("%s: %s: directory stack index out of range", name, strings.TrimLeft(arg, "+-"))
		}
		return 0, false
	}
	return n, true
}

func isStackArg(a string) bool {
	return len(a) > 1 && (a[0] == '+' || a[0] == '-') && isNumber(a[1:])
}

// builtinDirs is dirs.
func builtinDirs(sh *Shell, args []string) int {
	long, lines, verbose := false, false, false
	index := -1
	for _, a := range args[1:] {
		if isStackArg(a) {
			n, ok := sh.stackIndex("dirs", a)
			if !ok {
				return 1
			}
			index = n
			continue
		}
		switch a {
		case "-c":
			sh.dirs = nil
			return 0
		case "-l":
			long = true
		case "-p":
			lines = true
		case "-v":
			verbose = true
		default:
			return sh.usage("dirs", a+": invalid option", "dirs [-clpv] [+N] [-N]")
		}
	}
	stack := append([]string{sh.dir}, sh.dirs...)
	if index >= 0 {
		stack = stack[index : index+1]
	}
	for i, d := range stack {
		if !long {
			d = sh.shorten(d)
		}
		switch {
		case verbose:
			sh.printf("%2d  %s\n", i, d)
		case lines || i == len(stack)-1:
			sh.print(d + "\n")
		default:
			sh.print(d + " ")
		}
	}
	return 0
}

// builtinPushd is pushd.
func builtinPushd(sh *Shell, args []string) int {
	args = args[1:]
	stay := false
	if len(args) > 0 && args[0] == "-n" {
		stay, args = true, args[1:]
	}
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	old := sh.dir
	switch {
	case len(args) == 0:
		if len(sh.dirs) == 0 {
			sh.errorf("pushd: no other directory")
			return 1
		}
		if !sh.pushTo(sh.dirs[0]) {
			return 1
		}
		sh.dirs = append([]string{old}, sh.dirs[1:]...)
	case isStackArg(args[0]):
		n, ok := sh.stackIndex("pushd", args[0])
		if !ok {
			return 1
		}
		stack := append([]string{old}, sh.dirs...)
		stack = append(append([]string{}, stack[n:]...), stack[:n]...)
		if !sh.pushTo(stack[0]) {
			return 1
		}
		sh.dirs = stack[1:]
	case stay:
		sh.dirs = append([]string{args[0]}, sh.dirs...)
	default:
		dir := args[0]
		if dir == "-" {
			dir, _ = sh.get("OLDPWD")
		}
		if !sh.pushTo(dir) {
			return 1
		}
		sh.dirs = append([]string{old}, sh.dirs...)
	}
	return builtinDirs(sh, []string{"dirs"})
}

func (sh *Shell) pushTo(dir string) bool {
	if err := sh.chdir(dir, false); err != nil {
		sh.errorf("pushd: %s: %s", dir, strerror(err))
		return false
	}
	return true
}

// builtinPopd is popd.
func builtinPopd(sh *Shell, args []string) int {
	args = args[1:]
	stay := false
	if len(args) > 0 && args[0] == "-n" {
		stay, args = true, args[1:]
	}
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	if len(args) > 0 && !isStackArg(args[0]) {
		return sh.usage("popd", args[0]+": invalid argument", "popd [-n] [+N | -N]")
	}
	if len(sh.dirs) == 0 {
		sh.errorf("popd: directory stack empty")
		return 1
	}
	n := 0
	if len(args) > 0 {
		var ok bool
		if n, ok = sh.stackIndex("popd", args[0]); !ok {
			return 1
		}
	}
	if n == 0 && !stay {
		if err := sh.chdir(sh.dirs[0], false); err != nil {
			sh.errorf("popd: %s: %s", sh.dirs[0], strerror(err))
			return 1
		}
		sh.dirs = sh.dirs[1:]
	} else {
		n = max(n, 1)
		sh.dirs = append(append([]string{}, sh.dirs[:n-1]...), sh.dirs[n:]...)
	}
	return builtinDirs(sh, []string{"dirs"})
}
