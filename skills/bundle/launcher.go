package bundle

import (
	"encoding/binary"
	"fmt"

	"openclaw/skills/manifest"
)

// statusLauncher is how the launcher ends: it was found, and cannot run.
const statusLauncher = 126

// launcher is the module of a skill that is a script. Here nobody runs it: the sandbox's own shell or JavaScript runs the script, under
// the skill's grant. Any other host is told so, and runs a valid module.
func launcher(m *manifest.Manifest) []byte {
	text := fmt.Sprintf("%s: this skill is a %s script: it runs in openclaw, which has the interpreter\n", m.Name, m.Runtime)
	const (
		vectorAt  = 8  // where the vector for fd_write lies
		writtenAt = 16 // where it puts how much was written
		textAt    = 32
	)
	data := make([]byte, textAt, textAt+len(text))
	binary.LittleEndian.PutUint32(data[vectorAt:], textAt)
	binary.LittleEndian.PutUint32(data[vectorAt+4:], uint32(len(text)))
	data = append(data, text...)

	const (
		i32      = 0x7f
		function = 0x60
		stderr   = 2
	)
	constant := func(n int) []byte { // i32.const
		b := []byte{0x41}
		for n >= 0x40 {
			b, n = append(b, byte(n)|0x80), n>>7
		}
		return append(b, byte(n))
	}
	call := func(n byte) []byte { return []byte{0x10, n} }
	const drop, end = 0x1a, 0x0b
	body := cat([]byte{0}, constant(stderr), constant(vectorAt), constant(1), constant(writtenAt), call(0), []byte{drop},
		constant(statusLauncher), call(1), []byte{end})

	module := []byte(header)
	module = section(module, typeSection, cat([]byte{3},
		[]byte{function, 4, i32, i32, i32, i32, 1, i32}, []byte{function, 1, i32, 0}, []byte{function, 0, 0}))
	module = section(module, importSection, cat([]byte{2},
		named("wasi_snapshot_preview1"), named("fd_write"), []byte{0, 0}, named("wasi_snapshot_preview1"), named("proc_exit"), []byte{0, 1}))
	module = section(module, functionSection, []byte{1, 2})
	module = section(module, memorySection, []byte{1, 0, 1})
	module = section(module, exportSection, cat([]byte{2}, named("memory"), []byte{2, 0}, named("_start"), []byte{0, 2}))
	module = section(module, codeSection, cat([]byte{1}, appendNumber(nil, len(body)), body))
	return section(module, dataSection, cat([]byte{1, 0}, constant(0), []byte{end}, appendNumber(nil, len(data)), data))
}

func cat(parts ...[]byte) []byte {
	var all []byte
	for _, p := range parts {
		all = append(all, p...)
	}
	return all
}

func named(name string) []byte { return append(appendNumber(nil, len(name)), name...) }

func section(module []byte, id byte, content []byte) []byte {
	return append(appendNumber(append(module, id), len(content)), content...)
}
