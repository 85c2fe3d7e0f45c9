package js

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"time"

	"github.com/dop251/goja"
	"github.com/dop251/goja/file"
	"github.com/dop251/goja/parser"

	"openclaw/toolwasm/guest/sys"
)

// bindings is the object through which the library reaches the engine and, by way of Proc, the system.
func (e *engine) bindings() goja.Value {
	o := e.vm.NewObject()
	for _, group := range []map[string]any{e.coreBindings(), e.valueBindings(), e.fileBindings(), e.textBindings(), e.hashBindings()} {
		for name, f := range group {
			if err := o.Set(name, f); err != nil {
				panic(err) // a new object takes any property
			}
		}
	}
	return o
}

func (e *engine) coreBindings() map[string]any {
	return map[string]any{
		"version":  nodeVersion,
		"arch":     "wasm32",
		"pid":      func() int { return e.p.PID },
		"user":     map[string]any{"name": sys.User, "uid": sys.UID, "gid": sys.GID, "host": sys.Host},
		"environ":  e.environ,
		"cwd":      func() string { return e.p.Dir },
		"chdir":    e.chdir,
		"umask":    e.umask,
		"exit":     func(status int) { e.vm.Interrupt(exitRequest{status & 0xff}) },
		"wantTick": func() { e.ticks = true },
		"write":    e.writeStream,
		"now":      func() float64 { return float64(time.Now().UnixNano()) / 1e6 },
		"nanotime": func() int64 { return time.Since(e.began).Nanoseconds() },
		"began":    func() float64 { return float64(e.began.UnixNano()) / 1e6 },
		"memory":   memory,

		"startTimer":     e.loop.start,
		"stopTimer":      e.loop.stop,
		"refTimer":       e.loop.setRef,
		"addImmediate":   func(id int64) { e.loop.immediates = append(e.loop.immediates, id) },
		"clearImmediate": func(id int64) { e.loop.cancelled[id] = true },
		"addPending":     func(id int64) { e.loop.pending = append(e.loop.pending, id) },
		"wantInput":      func(on bool) { e.loop.wantsInput = on },

		"compileFunction": e.compileFunction,
		"runScript":       e.runScript,
		"parseModule":     e.parseModule,
		"isModule":        func(src string) bool { return mayBeModule(src) && isModule(scan(src)) },
		"library":         e.libraryModule,
		"runText":         func(name string) string { return e.texts[name].text },
		"shiftOf":         func(name string) int { return e.texts[name].shift },
	}
}

func memory() map[string]any {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return map[string]any{"rss": m.Sys, "heapTotal": m.HeapSys, "heapUsed": m.HeapAlloc, "external": 0, "arrayBuffers": 0}
}

// randomFloat is the source of Math.random: the program is a snapshot, so that only the system's randomness is new.
func randomFloat() float64 {
	var b [8]byte
	_, _ = rand.Read(b[:])
	const mantissa = 53
	return float64(binary.LittleEndian.Uint64(b[:])>>(64-mantissa)) / (1 << mantissa)
}

func (e *engine) environ() map[string]string {
	m := map[string]string{}
	for _, kv := range e.p.Env.List() {
		if k, v, ok := strings.Cut(kv, "="); ok {
			m[k] = v
		}
	}
	return m
}

func (e *engine) chdir(dir string) {
	info, err := e.p.Stat(dir)
	if err == nil && !info.IsDir() {
		err = errNotDir
	}
	if err != nil {
		e.throwSystem(err, "chdir", e.p.Dir, dir)
	}
	e.p.Dir = cleanPath(e.p.Path(dir))
}

func (e *engine) umask(call goja.FunctionCall) goja.Value {
	old := int64(e.p.Umask)
	if a := call.Argument(0); !goja.IsUndefined(a) {
		e.p.Umask = fileMode(a.ToInteger()) & 0o777
	}
	return e.vm.ToValue(old)
}

// writeStream writes to standard output or standard error. The order of both is kept.
func (e *engine) writeStream(fd int, data goja.Value) {
	b := e.bytes(data)
	if fd == 1 {
		if _, err := e.p.Out().Write(b); err != nil {
			e.throwSystem(err, "write", "", "")
		}
		return
	}
	_ = e.p.Flush()
	if _, err := e.p.Stderr.Write(b); err != nil {
		e.throwSystem(err, "write", "", "")
	}
}

// libraryModule returns the exports of a module of the library that scripts ask for.
func (e *engine) libraryModule(name string, bindings goja.Value) goja.Value {
	v, err := e.runLibrary(name, bindings)
	e.check(err)
	return v
}

// syntaxError throws a mistake in a text, with the place where it is.
func (e *engine) syntaxError(name string, err error) {
	message, at := err.Error(), file.Position{}
	var list parser.ErrorList
	var compile *goja.CompilerSyntaxError
	switch {
	case errors.As(err, &list) && len(list) > 0:
		message, at = list[0].Message, list[0].Position
	case errors.As(err, &compile):
		message = compile.Message
		if compile.File != nil {
			at = compile.File.Position(compile.Offset)
		}
	}
	column := at.Column
	if at.Line == 1 {
		column -= e.texts[name].shift
	}
	v, herr := e.hooks["syntaxError"](goja.Undefined(), e.vm.ToValue(syntaxMessage(message)), e.vm.ToValue(name), e.vm.ToValue(at.Line), e.vm.ToValue(column))
	e.check(herr)
	panic(v)
}

// syntaxMessage says what the parser says in the words of node.
func syntaxMessage(m string) string {
	for _, prefix := range [...]string{"Unexpected token ", "Unexpected reserved word "} {
		if t, ok := strings.CutPrefix(m, prefix); ok && t != "ILLEGAL" {
			return "Unexpected token '" + t + "'"
		}
	}
	switch m {
	case "Unexpected token ILLEGAL":
		return "Invalid or unexpected token"
	case "Unexpected end of input":
		return m
	}
	return m
}

// compile compiles a text, in front of which prefix is put.
func (e *engine) compile(name, prefix, src string) *goja.Program {
	e.texts[name] = compiledText{prefix + src, len(prefix)}
	src = prefix + src
	tree, err := parser.ParseFile(nil, name, src, 0, parser.WithDisableSourceMaps)
	if err != nil {
		e.syntaxError(name, err)
	}
	prg, err := goja.CompileAST(tree, false)
	if err != nil {
		e.syntaxError(name, err)
	}
	return prg
}

// scriptText makes a text fit for the engine.
func scriptText(src string) string {
	src = strings.TrimPrefix(src, "\ufeff")
	if strings.HasPrefix(src, "#!") {
		src = "//" + src
	}
	return lower(src)
}

// runScript runs a text in the global scope and returns the value of its last statement.
func (e *engine) runScript(name, src string) goja.Value {
	v, err := e.vm.RunProgram(e.compile(name, "", scriptText(src)))
	e.check(err)
	return v
}

// compileFunction makes a function of a text, which is its body.
func (e *engine) compileFunction(name, src, parameters string) goja.Value {
	v, err := e.vm.RunProgram(e.compile(name, "(function("+parameters+"){", scriptText(src)+"\n})"))
	e.check(err)
	return v
}

func mayBeModule(src string) bool {
	return strings.Contains(src, "import") || strings.Contains(src, "export")
}

// parseModule splits a module into what it asks for, what it gives and its body, a function that makes the asynchronous
// function to run.
func (e *engine) parseModule(name, src string) map[string]any {
	m := parseModule(scan(strings.TrimPrefix(src, "\ufeff")))
	var requests, exports []any
	for _, r := range m.requests {
		var bindings []any
		for _, b := range r.bindings {
			bindings = append(bindings, []any{b.local, b.imported})
		}
		requests = append(requests, map[string]any{"specifier": r.specifier, "bindings": e.vm.ToValue(bindings)})
	}
	var getters strings.Builder
	for _, x := range m.exports {
		exports = append(exports, map[string]any{"name": x.name, "local": x.local, "from": x.from})
		if x.from == "" {
			fmt.Fprintf(&getters, "%q:()=>%s,", x.name, x.local)
		}
	}
	body := scriptText(m.body)
	prefix := "(function($imports,$import,$meta,$exports){with($imports){return async function(){'use strict';$exports({" + getters.String() + "});"
	prg := e.compile(name, prefix, body+"\n}}})")
	f, err := e.vm.RunProgram(prg)
	e.check(err)
	return map[string]any{"requests": e.vm.ToValue(requests), "exports": e.vm.ToValue(exports), "body": f}
}

// bytes returns the content of a string, of an ArrayBuffer or of what looks at one.
func (e *engine) bytes(v goja.Value) []byte {
	o, ok := v.(*goja.Object)
	if !ok {
		return []byte(v.String())
	}
	if b, ok := e.viewed(o); ok {
		return b
	}
	return []byte(v.String())
}

// viewed returns the memory that an ArrayBuffer, a typed array or a DataView stands for.
func (e *engine) viewed(o *goja.Object) ([]byte, bool) {
	if b, ok := o.Export().(goja.ArrayBuffer); ok {
		return b.Bytes(), true
	}
	under, ok := o.Get("buffer").(*goja.Object)
	if !ok {
		return nil, false
	}
	b, ok := under.Export().(goja.ArrayBuffer)
	if !ok {
		return nil, false
	}
	at, n := o.Get("byteOffset").ToInteger(), o.Get("byteLength").ToInteger()
	if at < 0 || n < 0 || at+n > int64(len(b.Bytes())) {
		return nil, false
	}
	return b.Bytes()[at : at+n : at+n], true
}

func (e *engine) buffer(b []byte) goja.Value { return e.vm.ToValue(e.vm.NewArrayBuffer(b)) }
