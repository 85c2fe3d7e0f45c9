package js

import (
	"embed"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/dop251/goja"
	"github.com/dop251/goja/parser"

	"openclaw/toolwasm/guest/command"
)

// maxCalls bounds how deep functions may call each other; it is about what node's stack allows.
const maxCalls = 10000

// library holds the modules that stand between the engine's bindings and scripts.
//
//go:embed lib/*.js
var library embed.FS

// engine is one script while it runs.
type engine struct {
	p     *command.Proc
	began time.Time
	vm    *goja.Runtime
	loop  *loop

	// hooks are the functions of the library that the engine calls; see lib/bootstrap.js.
	hooks map[string]goja.Callable
	// ticks tells that functions wait for process.nextTick.
	ticks bool
	// rejected are promises that were rejected and not handled so far.
	rejected []*goja.Promise
	files    descriptors
	modules  map[string]goja.Value   // of the library
	texts    map[string]compiledText // by the names of files
	errorFor goja.Callable           // makes an Error of a class with a code
}

// compiledText is a text as the engine got it, which places of errors refer to.
type compiledText struct {
	text  string
	shift int // columns that were put before the first line
}

// exitRequest interrupts the script when it has called process.exit.
type exitRequest struct{ status int }

// newEngine makes an engine that belongs to no command yet: nothing in it depends on one.
func newEngine() (*engine, error) {
	e := &engine{vm: goja.New(), hooks: map[string]goja.Callable{}, modules: map[string]goja.Value{}, texts: map[string]compiledText{}}
	e.loop = newLoop(e)
	e.vm.SetMaxCallStackSize(maxCalls)
	e.vm.SetParserOptions(parser.WithDisableSourceMaps)
	e.vm.SetRandSource(randomFloat)
	e.vm.SetPromiseRejectionTracker(e.track)
	hooks, err := e.runLibrary("bootstrap", e.bindings())
	if err != nil {
		return nil, fmt.Errorf("bootstrap: %w", err)
	}
	object := hooks.ToObject(e.vm)
	for _, name := range object.Keys() {
		f, ok := goja.AssertFunction(object.Get(name))
		if !ok {
			return nil, fmt.Errorf("bootstrap: %s is not a function", name)
		}
		e.hooks[name] = f
	}
	e.errorFor = e.hooks["makeError"]
	return e, nil
}

// attach makes the engine a command's.
func (e *engine) attach(p *command.Proc) {
	e.p, e.began = p, time.Now()
	e.files.init(p)
}

// compiled keeps the library's modules, which are the same for all scripts of the program.
var compiled sync.Map // of name to func() (*goja.Program, error)

func libraryProgram(name string) (*goja.Program, error) {
	once, _ := compiled.LoadOrStore(name, sync.OnceValues(func() (*goja.Program, error) {
		src, err := library.ReadFile("lib/" + name + ".js")
		if err != nil {
			return nil, err
		}
		return goja.Compile("node:"+name, "(function(exports,module,require,binding){'use strict';"+string(src)+"\nreturn module.exports})", true)
	}))
	return once.(func() (*goja.Program, error))()
}

// runLibrary runs a module of the library and returns its exports.
func (e *engine) runLibrary(name string, bindings goja.Value) (goja.Value, error) {
	if v, ok := e.modules[name]; ok {
		return v, nil
	}
	prg, err := libraryProgram(name)
	if err != nil {
		return nil, err
	}
	f, err := e.vm.RunProgram(prg)
	if err != nil {
		return nil, err
	}
	call, _ := goja.AssertFunction(f)
	module := e.vm.NewObject()
	exports := e.vm.NewObject()
	if err := module.Set("exports", exports); err != nil {
		return nil, err
	}
	require := e.vm.ToValue(func(name string) goja.Value {
		v, err := e.runLibrary(name, bindings)
		e.check(err)
		return v
	})
	e.modules[name] = exports
	v, err := call(goja.Undefined(), exports, module, require, bindings)
	if err != nil {
		return nil, err
	}
	e.modules[name] = v
	return v, nil
}

// check throws a Go error at the script.
func (e *engine) check(err error) {
	if err == nil {
		return
	}
	var thrown *goja.Exception
	if errors.As(err, &thrown) {
		panic(thrown.Value())
	}
	panic(err)
}

// throw throws an Error of the given class with node's code for it.
func (e *engine) throw(class, code, format string, args ...any) {
	v, err := e.errorFor(goja.Undefined(), e.vm.ToValue(class), e.vm.ToValue(code), e.vm.ToValue(fmt.Sprintf(format, args...)))
	e.check(err)
	panic(v)
}

// track keeps the list of rejections that nobody handles.
func (e *engine) track(p *goja.Promise, op goja.PromiseRejectionOperation) {
	if op == goja.PromiseRejectionReject {
		e.rejected = append(e.rejected, p)
		return
	}
	for i, r := range e.rejected {
		if r == p {
			e.rejected = append(e.rejected[:i], e.rejected[i+1:]...)
			return
		}
	}
}

// main runs a script and what it leaves to be done, and returns the exit status.
func (e *engine) main(inv invocation) int {
	defer e.files.closeAll()
	err := e.turn("start", e.startOptions(inv))
	for err == nil {
		var more bool
		if more, err = e.loop.next(); !more && err == nil {
			more, err = e.beforeExit()
			if !more {
				break
			}
		}
	}
	return e.finish(err)
}

func (e *engine) startOptions(inv invocation) goja.Value {
	o := map[string]any{
		"print": inv.print, "check": inv.check, "module": inv.module, "require": e.vm.ToValue(inv.require),
		"script": inv.script, "hasCode": inv.hasCode, "code": inv.code, "args": e.vm.ToValue(inv.args),
	}
	return e.vm.ToValue(o)
}

// turn calls a hook, and then what it has put on the queues of ticks and promises.
func (e *engine) turn(hook string, args ...goja.Value) error {
	_, err := e.hooks[hook](goja.Undefined(), args...)
	for err == nil && e.ticks {
		e.ticks = false
		_, err = e.hooks["runTicks"](goja.Undefined())
	}
	if err == nil {
		err = e.unhandled()
	}
	return e.uncaught(err)
}

// uncaught lets the script's own handler have an error that nobody caught. It returns what ends the script.
func (e *engine) uncaught(err error) error {
	var thrown *goja.Exception
	if !errors.As(err, &thrown) {
		return err
	}
	handled, herr := e.hooks["uncaught"](goja.Undefined(), thrown.Value())
	switch {
	case herr != nil:
		return herr
	case handled.ToBoolean():
		return nil
	}
	return err
}

// rejection is an unhandled rejection; it ends the script as an uncaught exception does.
type rejection struct{ reason goja.Value }

func (r *rejection) Error() string { return "js: unhandled rejection" }

func (e *engine) unhandled() error {
	for len(e.rejected) > 0 {
		p := e.rejected[0]
		e.rejected = e.rejected[1:]
		handled, err := e.hooks["unhandled"](goja.Undefined(), p.Result(), e.vm.ToValue(p))
		if err != nil {
			return err
		}
		if !handled.ToBoolean() {
			return &rejection{p.Result()}
		}
	}
	return nil
}

// beforeExit reports whether there is more to do after the script was told that there is nothing.
func (e *engine) beforeExit() (bool, error) {
	if err := e.turn("beforeExit"); err != nil {
		return false, err
	}
	return e.loop.alive(), nil
}

// finish says why the script ended and returns the exit status.
func (e *engine) finish(err error) int {
	var interrupted *goja.InterruptedError
	if errors.As(err, &interrupted) {
		if x, ok := interrupted.Value().(exitRequest); ok {
			return x.status
		}
	}
	failed := goja.Undefined()
	if err != nil {
		e.report(err)
		failed = e.vm.ToValue(1)
	}
	status, err := e.hooks["exit"](goja.Undefined(), failed)
	if err != nil {
		var x exitRequest
		if errors.As(err, &interrupted) {
			x, _ = interrupted.Value().(exitRequest)
			return x.status
		}
		e.report(err)
		return 1
	}
	return int(status.ToInteger()) & 0xff
}

// report writes an uncaught error to standard error in node's form.
func (e *engine) report(err error) {
	_ = e.p.Flush()
	text, reported := e.describe(err)
	if reported != nil {
		text = reported.Error()
	}
	fmt.Fprintf(e.p.Stderr, "%s\n\nNode.js %s\n", strings.TrimRight(text, "\n"), nodeVersion)
}

func (e *engine) describe(err error) (string, error) {
	var overflow *goja.StackOverflowError
	var refused *rejection
	var thrown *goja.Exception
	switch {
	case errors.As(err, &overflow):
		frame := ""
		if s := overflow.Stack(); len(s) > 0 {
			frame = fmt.Sprintf("\n    at %s", place(s[0]))
		}
		return "RangeError: Maximum call stack size exceeded" + frame, nil
	case errors.As(err, &refused):
		return e.describeValue(refused.reason, true, nil)
	case errors.As(err, &thrown):
		return e.describeValue(thrown.Value(), false, thrown.Stack())
	}
	return err.Error(), nil
}

func (e *engine) describeValue(v goja.Value, rejected bool, stack []goja.StackFrame) (string, error) {
	where := ""
	for i := range stack {
		if p := stack[i].Position(); stack[i].SrcName() != "<native>" && !strings.HasPrefix(p.Filename, "node:") {
			where = fmt.Sprintf("%s:%d:%d", p.Filename, p.Line, p.Column)
			break
		}
	}
	text, err := e.hooks["describe"](goja.Undefined(), v, e.vm.ToValue(rejected), e.vm.ToValue(where))
	if err != nil {
		return "", err
	}
	return text.String(), nil
}

// place writes a frame of a stack as node does.
func place(f goja.StackFrame) string {
	p := f.Position()
	where := fmt.Sprintf("%s:%d:%d", p.Filename, p.Line, p.Column)
	if f.FuncName() == "<anonymous>" {
		return where
	}
	return f.FuncName() + " (" + where + ")"
}
