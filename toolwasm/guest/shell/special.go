package shell

import (
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"path"
	"strconv"
	"strings"
	"time"

	"openclaw/toolwasm/guest/shell/syntax"
	"openclaw/toolwasm/guest/sys"
)

// dynamic says how a variable whose value the shell makes when it is read is made.
type dynamic uint8

const (
	dynNone dynamic = iota
	dynRandom
	dynSrandom
	dynSeconds
	dynLineno
	dynBashPID
	dynEpochSeconds
	dynEpochRealtime
	dynCommand
	dynSubshell
	dynFuncname
	dynSource
	dynLines
	dynPipestatus
	dynDirstack
	dynGroups
	dynArgv0
	dynShellopts
	dynBashopts
	dynAliases
	dynCmds
)

// version is the bash whose behaviour the shell has.
const version = "5.2.21(1)-release"

// initSpecial makes the variables that the shell sets itself.
func (sh *Shell) initSpecial() {
	for name, d := range map[string]dynamic{
		"RANDOM": dynRandom, "SRANDOM": dynSrandom, "SECONDS": dynSeconds, "LINENO": dynLineno, "BASHPID": dynBashPID,
		"EPOCHSECONDS": dynEpochSeconds, "EPOCHREALTIME": dynEpochRealtime, "BASH_COMMAND": dynCommand,
		"BASH_SUBSHELL": dynSubshell, "BASH_ARGV0": dynArgv0, "SHELLOPTS": dynShellopts, "BASHOPTS": dynBashopts,
	} {
		sh.vars[name] = &variable{dyn: d, set: true}
	}
	for _, name := range []string{"SHELLOPTS", "BASHOPTS"} {
		sh.vars[name].attrs |= attrReadonly
	}
	for name, d := range map[string]dynamic{
		"FUNCNAME": dynFuncname, "BASH_SOURCE": dynSource, "BASH_LINENO": dynLines, "PIPESTATUS": dynPipestatus,
		"DIRSTACK": dynDirstack, "GROUPS": dynGroups,
	} {
		sh.vars[name] = &variable{dyn: d, set: true, attrs: attrIndexed, arr: newIndexed(nil)}
	}
	for name, d := range map[string]dynamic{"BASH_ALIASES": dynAliases, "BASH_CMDS": dynCmds} {
		sh.vars[name] = &variable{dyn: d, set: true, attrs: attrAssoc, dict: newAssoc()}
	}
	sh.initConstants()
	sh.vars["_"] = &variable{str: "/bin/bash", set: true}
}

func (sh *Shell) initConstants() {
	for _, kv := range [][2]string{
		{"BASH", "/bin/bash"},
		{"BASH_VERSION", version},
		{"HOSTNAME", sys.Host},
		{"HOSTTYPE", "x86_64"},
		{"MACHTYPE", "x86_64-pc-linux-gnu"},
		{"OSTYPE", "linux-gnu"},
		{"IFS", " \t\n"},
		{"OPTIND", "1"},
		{"OPTERR", "1"},
		{"PS4", "+ "},
	} {
		if v := sh.vars[kv[0]]; v == nil || kv[0] == "IFS" || kv[0] == "OPTIND" || strings.HasPrefix(kv[0], "BASH") {
			sh.vars[kv[0]] = &variable{str: kv[1], set: true}
		}
	}
	for _, kv := range [][2]string{{"UID", strconv.Itoa(sys.UID)}, {"EUID", strconv.Itoa(sys.UID)}, {"PPID", strconv.Itoa(sh.ppid)}} {
		sh.vars[kv[0]] = &variable{str: kv[1], set: true, attrs: attrReadonly | attrInteger}
	}
	sh.vars["BASH_VERSINFO"] = &variable{
		attrs: attrIndexed | attrReadonly, set: true,
		arr: newIndexed([]string{"5", "2", "21", "1", "release", "x86_64-pc-linux-gnu"}),
	}
	if sh.vars["PATH"] == nil {
		sh.vars["PATH"] = &variable{str: "/usr/local/bin:/usr/bin:/bin", set: true}
	}
}

// refresh computes the value of a dynamic variable.
func (sh *Shell) refresh(v *variable) {
	switch v.dyn {
	case dynRandom:
		v.str = strconv.Itoa(sh.random())
	case dynSrandom:
		var b [4]byte
		_, _ = rand.Read(b[:])
		v.str = strconv.FormatUint(uint64(binary.LittleEndian.Uint32(b[:])), 10)
	case dynSeconds:
		v.str = strconv.FormatInt(int64(time.Since(sh.started)/time.Second), 10)
	case dynLineno:
		v.str = strconv.Itoa(sh.line)
	case dynBashPID:
		v.str = strconv.Itoa(sh.self.pid)
	case dynEpochSeconds:
		v.str = strconv.FormatInt(time.Now().Unix(), 10)
	case dynEpochRealtime:
		now := time.Now().UnixMicro()
		v.str = fmt.Sprintf("%d.%06d", now/1e6, now%1e6)
	case dynCommand:
		v.str = sh.currentCommand()
	case dynSubshell:
		v.str = strconv.Itoa(sh.subshells)
	case dynArgv0:
		v.str = sh.arg0
	case dynShellopts:
		v.str = sh.opt.list()
	case dynBashopts:
		v.str = sh.shopt.list()
	case dynPipestatus:
		vals := make([]string, len(sh.pipestatus))
		for i, s := range sh.pipestatus {
			vals[i] = strconv.Itoa(s)
		}
		v.arr, v.shared = newIndexed(vals), false
	case dynGroups:
		v.arr, v.shared = newIndexed([]string{strconv.Itoa(sys.GID)}), false
	case dynDirstack:
		v.arr, v.shared = newIndexed(append([]string{sh.dir}, sh.dirs...)), false
	case dynFuncname, dynSource, dynLines:
		v.arr, v.shared = newIndexed(sh.stack(v.dyn)), false
	case dynAliases:
		v.dict, v.shared = newAssoc(), false
		for n, s := range sh.aliases {
			v.dict.set(n, s)
		}
	case dynCmds:
		v.dict, v.shared = newAssoc(), false
		for n, s := range sh.hashed {
			v.dict.set(n, s.path)
		}
	}
}

// stack lists the call stack from the innermost call.
func (sh *Shell) stack(d dynamic) []string {
	var list []string
	inFunction := false
	for i := len(sh.frames) - 1; i >= 0; i-- {
		f := sh.frames[i]
		inFunction = inFunction || f.fn != nil
		switch d {
		case dynFuncname:
			list = append(list, f.name)
		case dynSource:
			list = append(list, f.source)
		default:
			list = append(list, strconv.Itoa(f.callLine))
		}
	}
	if d == dynFuncname && !inFunction && len(sh.frames) == 0 {
		return nil
	}
	if len(sh.frames) == 0 && sh.script == "" {
		return nil
	}
	switch d {
	case dynFuncname:
		if sh.script != "" || len(sh.frames) > 0 && sh.script != "" {
			list = append(list, "main")
		}
	case dynSource:
		if sh.script != "" {
			list = append(list, sh.script)
		}
	default:
		if sh.script != "" {
			list = append(list, "0")
		}
	}
	return list
}

// assignDynamic handles assignments to dynamic variables; false when the variable becomes an ordinary one.
func (sh *Shell) assignDynamic(v *variable, name, value string) bool {
	switch v.dyn {
	case dynRandom:
		n, _ := strconv.ParseInt(value, 10, 64)
		sh.seed = uint32(n)
	case dynSeconds:
		n, _ := strconv.ParseInt(value, 10, 64)
		sh.started = time.Now().Add(-time.Duration(n) * time.Second)
	case dynArgv0:
		sh.arg0 = value
	case dynLineno, dynBashPID, dynEpochSeconds, dynEpochRealtime, dynCommand, dynSubshell, dynSrandom, dynFuncname, dynPipestatus, dynSource, dynLines, dynGroups, dynDirstack:
	default:
		v.dyn = dynNone
		return false
	}
	return true
}

// random steps bash's generator: Park and Miller's, with both halves mixed.
func (sh *Shell) random() int {
	const a, m, q, r, mix = 16807, 2147483647, 127773, 2836, 32767
	if sh.seed == 0 && !sh.seeded {
		var b [4]byte
		_, _ = rand.Read(b[:])
		sh.seed = binary.LittleEndian.Uint32(b[:])
	}
	sh.seeded = true
	last := -1
	for {
		s := int32(sh.seed)
		if s == 0 {
			s = 123459876
		}
		h, l := s/q, s%q
		t := a*l - r*h
		if t < 0 {
			t += m
		}
		sh.seed = uint32(t)
		n := int((sh.seed>>16)^(sh.seed&0xffff)) & mix
		if n != last && n != sh.lastRandom {
			sh.lastRandom = n
			return n
		}
		last = n
	}
}

// currentCommand is the text of the simple command that runs.
func (sh *Shell) currentCommand() string {
	if sh.current == nil {
		return ""
	}
	return syntax.Head(sh.current)
}

// baseName is the shell's name in messages.
func (sh *Shell) baseName() string {
	if sh.script != "" {
		return sh.script
	}
	return path.Base(sh.arg0)
}
