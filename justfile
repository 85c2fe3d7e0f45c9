# What people do with this repository. Everything here is also plain Go; CI calls .ci/run.

fuzztime := "60s"

# Build the command into bin/.
build:
    go build -trimpath -o bin/openclaw ./cmd/openclaw

# Run every test.
test:
    go test ./...

# Check form and common mistakes.
lint:
    go vet ./...
    test -z "$(gofumpt -l .)"
    staticcheck ./...

# Run the benchmarks, each with the native command or the plain module beside it.
bench:
    go test -run '^$' -bench . -benchtime 1s ./...

# Fuzz every parser of foreign bytes for a minute each.
fuzz:
    go run ./.ci/fuzz {{fuzztime}}

# Rebuild the embedded toolbox and programs after a change of their source.
toolbox:
    go run ./toolwasm/internal/mktoolbox

# Build CPython for WASI from Debian's source package into bin/python. Needs Debian 12 and about ten minutes.
python:
    toolwasm/programs/python/build.sh bin/python
