#!/usr/bin/env bash
# Builds CPython for WASI from Debian's source package, with Debian's clang: python.wasm and its library as a zip archive, into the
# directory that is given. Needs Debian 12, its python3.11 to build with, and about ten minutes on two cores:
#
#     apt-get install clang lld llvm wasi-libc libclang-rt-14-dev-wasm32 dpkg-dev make python3.11
set -euo pipefail

out=$(realpath -m "${1:?usage: build.sh DIRECTORY}")
jobs=${JOBS:-$(nproc)}
build_python=${BUILD_PYTHON:-/usr/bin/python3.11}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# The source comes from where the system's packages do. It is asked for apart, so that the system's own lists stay as they are.
fetch() {
	mkdir -p parts lists
	if [ -f /etc/apt/sources.list.d/debian.sources ]; then
		sed 's/^Types:.*/Types: deb-src/' /etc/apt/sources.list.d/debian.sources >parts/source.sources
	else
		sed -n 's/^deb /deb-src /p' /etc/apt/sources.list >parts/source.list
	fi
	local apt=(apt-get -q -o Dir::Etc::sourcelist=/dev/null -o "Dir::Etc::sourceparts=$work/parts" -o "Dir::State::Lists=$work/lists")
	"${apt[@]}" update
	"${apt[@]}" source --download-only python3.11 || {
		echo "build.sh: the newest source is not to be had; taking that of the release, which may lack fixes" >&2
		rm -f python3.11_*
		"${apt[@]}" source --download-only python3.11/bookworm
	}
	dpkg-source -x python3.11_*.dsc src
}

configure() {
	export CC="clang --target=wasm32-wasi" CPP="clang --target=wasm32-wasi -E" AR=llvm-ar RANLIB=llvm-ranlib LDSHARED=false
	export CFLAGS="-O2 -g0 -D_WASI_EMULATED_SIGNAL -D_WASI_EMULATED_GETPID -D_WASI_EMULATED_PROCESS_CLOCKS -D_WASI_EMULATED_MMAN"
	export LDFLAGS="-lwasi-emulated-signal -lwasi-emulated-getpid -lwasi-emulated-process-clocks -lwasi-emulated-mman"
	export CONFIG_SITE="$work/src/Tools/wasm/config.site-wasm32-wasi" PKG_CONFIG=false ac_cv_func_memfd_create=no
	local m
	for m in zlib _uuid _bz2 _lzma _ctypes _sqlite3; do export "py_cv_module_$m=n/a"; done # their libraries are not there for WASI
	../src/configure --host=wasm32-unknown-wasi --build=x86_64-pc-linux-gnu --with-build-python="$build_python" \
		--without-pymalloc --disable-test-modules --with-ensurepip=no --disable-ipv6 --prefix=/usr
}

# library packs the standard library as compiled files, stored, so that nothing is unpacked when one is read. What cannot work
# without processes, threads, sockets or a display is left out.
library() {
	"$build_python" - "$work/src/Lib" "$out/python311.zip" <<-'EOF'
		import os, py_compile, sys, zipfile
		lib, target = sys.argv[1:]
		leave = {"test", "tests", "idlelib", "tkinter", "turtledemo", "ensurepip", "venv", "lib2to3", "distutils", "pydoc_data",
		         "msilib", "curses", "sqlite3", "ctypes", "multiprocessing", "__pycache__"}
		with zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as z:
		    for root, dirs, files in os.walk(lib):
		        dirs[:] = sorted(d for d in dirs if d not in leave)
		        for name in sorted(f for f in files if f.endswith(".py")):
		            path = os.path.join(root, name)
		            inside = os.path.relpath(path, lib)
		            code = path + "c"
		            py_compile.compile(path, code, "/py/lib/" + inside, doraise=True,
		                               invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)
		            z.writestr(zipfile.ZipInfo(inside + "c", (1980, 1, 1, 0, 0, 0)), open(code, "rb").read())
	EOF
}

mkdir -p "$out"
fetch
mkdir build
cd build
configure
# Its own sizes come last on the command line and are too small for deep recursion.
make -j"$jobs" CONFIGURE_LDFLAGS_NODIST="-Wl,-z,stack-size=8388608 -Wl,--stack-first -Wl,--initial-memory=33554432" python.wasm
cd ..
llvm-strip -o "$out/python.wasm" build/python.wasm
library
echo "openclaw programs add python3 $out/python.wasm --alias python --preset python --mount /py/lib=$out/python311.zip"
