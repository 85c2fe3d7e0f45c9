package hostfs

import "strings"

// badName reports whether Windows takes name for something other than the plain name of one file. It is compiled on
// every system so that it is tested on every system.
func badName(name string) bool {
	if strings.ContainsAny(name, "\\/:*?\"<>|") || strings.HasSuffix(name, ".") || strings.HasSuffix(name, " ") {
		return true
	}
	for i := 0; i < len(name); i++ {
		if name[i] < 0x20 {
			return true
		}
	}
	return isDeviceName(name) || isShortName(name)
}

// isDeviceName reports whether name is that of a DOS device, which exists in each directory, with any extension.
func isDeviceName(name string) bool {
	stem, _, _ := strings.Cut(name, ".")
	stem = strings.ToUpper(strings.TrimRight(stem, " "))
	switch stem {
	case "CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$", "CLOCK$":
		return true
	}
	port, ok := strings.CutPrefix(stem, "COM")
	if !ok {
		port, ok = strings.CutPrefix(stem, "LPT")
	}
	if !ok {
		return false
	}
	switch port {
	case "0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "\u00b9", "\u00b2", "\u00b3":
		return true
	}
	return false
}

// isShortName reports whether name may be the 8.3 alias of a longer one, as GIT~1 is of .git.
func isShortName(name string) bool {
	stem, extension, _ := strings.Cut(name, ".")
	if len(stem) > 8 || len(extension) > 3 {
		return false
	}
	tilde := strings.LastIndexByte(stem, '~')
	if tilde < 1 || tilde == len(stem)-1 {
		return false
	}
	for _, c := range stem[tilde+1:] {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}
