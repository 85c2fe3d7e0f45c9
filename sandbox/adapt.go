package sandbox

import (
	"fmt"

	"openclaw/sandbox/internal/adapt"
	"openclaw/sandbox/internal/wasi"
)

// Adaptation is how a module is made a program that is none as it is. What comes of it is a module like any other: it is loaded as
// strictly, and gets no more.
type Adaptation struct {
	// Name is what the program is called in what it says about what it lacks.
	Name string
	// Stubs gives each function that the module imports, and that does not exist here, a body: it says on standard error that the
	// function is not available, and ends the program with 134. Without it, such a module is refused when it is loaded.
	Stubs bool
	// Launcher, when set, gives a start to an interpreter that was built to be embedded.
	Launcher *Launcher
}

// Launcher starts an interpreter that was built to be embedded, as a module with functions in the canonical ABI, as if it were a
// command.
type Launcher = adapt.Launcher

// Adapt adapts a module. It returns the functions that got a body, as "module.name".
func Adapt(module []byte, a Adaptation) (adapted []byte, stubs []string, err error) {
	have := map[[2]string]bool{}
	for _, f := range wasi.Functions() {
		have[[2]string{f.Module, f.Name}] = true
	}
	r, err := adapt.Apply(module, adapt.Options{
		Name: a.Name, Stubs: a.Stubs, Launcher: a.Launcher,
		Have: func(module, name string) bool { return have[[2]string{module, name}] },
	})
	if err != nil {
		return nil, nil, fmt.Errorf("sandbox: adapt %s: %w: %w", a.Name, ErrBadModule, err)
	}
	return r.Wasm, r.Stubs, nil
}
