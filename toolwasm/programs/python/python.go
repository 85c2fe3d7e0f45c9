// Package python holds what CPython for WASI needs to be at home in the toolbox. The recipe that builds CPython is beside it.
package python

import _ "embed"

// Site is the module sitecustomize: CPython finds it on its path and runs it before anything else.
//
//go:embed sitecustomize.py
var Site string
