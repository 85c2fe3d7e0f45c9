package awk

import (
	"strings"

	"openclaw/toolwasm/guest/sys"
)

// openNext opens the next operand that is a file, performing the assignments before it. It returns false when there is none
// left.
func (in *interp) openNext() bool {
	for {
		name, ok := in.nextOperand()
		if !ok {
			return false
		}
		if in.openMain(name) {
			return true
		}
	}
}

// nextOperand returns the next file name of ARGV, or "-" once when there is none at all.
func (in *interp) nextOperand() (string, bool) {
	argc := in.vars[slotARGC]
	argv := in.vars[slotARGV].a
	for {
		in.argIndex++
		if float64(in.argIndex) >= argc.num() {
			break
		}
		v := argv.find(intKey(int32(in.argIndex)))
		if v == nil {
			continue
		}
		arg := in.str(v)
		if arg == "" {
			continue
		}
		if name, val, ok := assignment(arg); ok {
			in.assignOperand(name, val)
			continue
		}
		in.args = true
		in.vars[slotARGIND] = number(float64(in.argIndex))
		return arg, true
	}
	if in.args {
		return "", false
	}
	in.args = true
	return "-", true
}

// assignment recognises an operand of the form name=value.
func assignment(arg string) (name, val string, ok bool) {
	name, val, ok = strings.Cut(arg, "=")
	if !ok || name == "" || !isLetter(name[0]) {
		return "", "", false
	}
	for i := range len(name) {
		if !isLetter(name[i]) && !isDigit(name[i]) {
			return "", "", false
		}
	}
	return name, val, true
}

// assignOperand performs an assignment from the command line.
func (in *interp) assignOperand(name, val string) {
	if isWordIn(keywords, name) || isWordIn(builtins, name) {
		in.fatal("cannot use gawk builtin `%s' as variable name", name)
	}
	if _, ok := in.code.funcIndex[name]; ok {
		in.fatal("cannot use function `%s' as variable name", name)
	}
	slot, ok := in.code.slots[name]
	if !ok {
		return // nothing in the program can see it
	}
	if in.vars[slot].k == kArray {
		in.fatal("attempt to use array `%s' in a scalar context", name)
	}
	in.assign(slot, input(unescape(val)))
}

// openMain makes a file the main input. It returns false when the file is to be passed over.
func (in *interp) openMain(name string) bool {
	in.vars[slotFILENAME] = text(name)
	in.fnr = 0
	in.vars[slotERRNO] = text("")
	problem := in.openFile(name)
	if len(in.code.beginFile) > 0 {
		return in.beginFile(problem)
	}
	if problem == "" {
		return true
	}
	if problem == isDirectory {
		in.p.Errorf("warning: command line argument `%s' is a directory: skipped", name)
	} else {
		in.p.Errorf("warning: cannot open file `%s' for reading: %s", name, problem)
		in.status = statusFatal
	}
	return false
}

// isDirectory is the problem with a file that is a directory.
const isDirectory = "Is a directory"

// openFile opens the main input and returns what went wrong, "" if nothing.
func (in *interp) openFile(name string) (problem string) {
	if name == "-" || name == "/dev/stdin" {
		in.main = in.io.stdin()
		return ""
	}
	if info, err := in.p.Stat(name); err == nil && info.IsDir() {
		return isDirectory
	}
	f, err := in.p.Open(name)
	if err != nil {
		return sys.Strerror(err)
	}
	in.mainFile, in.main = f, newRecordReader(f)
	return ""
}

// beginFile runs the BEGINFILE rules, which see a problem in ERRNO and may pass over the file.
func (in *interp) beginFile(problem string) bool {
	in.vars[slotERRNO] = text(problem)
	for _, b := range in.code.beginFile {
		switch c := b(in); c {
		case ctlNone:
		case ctlNextFile:
			in.closeMain()
			return false
		default:
			panic(leave{c})
		}
	}
	if problem != "" && problem != isDirectory {
		in.fatal("cannot open file `%s' for reading: %s", in.vars[slotFILENAME].s, problem)
	}
	return problem == ""
}
