package sandbox

import "strings"

// scriptIndex finds the argument that is an interpreter's script by a relative path, or 0. That is the first that is no
// option: of several the first that exists, as some may be values of options before the script. stops are the letters of options
// that take the script's place; empty is a program that has no scripts.
func scriptIndex(args []string, stops string, exists func(name string) bool) int {
	if stops == "" {
		return 0
	}
	first := 0
	for i := 1; i < len(args); i++ {
		switch a := args[i]; {
		case a == "-" || isStop(a, stops):
			return 0
		case a == "--":
			if i++; i < len(args) && isRelative(args[i]) {
				return i
			}
			return 0
		case strings.HasPrefix(a, "-"):
		case !isRelative(a):
			return 0
		case exists(a):
			return i
		case first == 0:
			first = i
		}
	}
	return first
}

func isRelative(name string) bool { return name != "" && name[0] != '/' }

// isStop reports whether an argument is one of the options in stops: alone, with its value attached, or behind others.
func isStop(arg, stops string) bool {
	if len(arg) < 2 || arg[0] != '-' || arg[1] == '-' {
		return false
	}
	return strings.IndexByte(stops, arg[1]) >= 0 || strings.IndexByte(stops, arg[len(arg)-1]) >= 0
}
