// Linked into a C program for WASI, this makes it begin in the directory that the shell is in, as programs do on other systems:
// WASI itself has no working directory, and C libraries begin at "/".
//
//     clang --target=wasm32-wasi -O2 -o prog.wasm prog.c workdir.c
//     openclaw programs add prog prog.wasm --reads-pwd
#include <stdlib.h>
#include <unistd.h>

__attribute__((constructor)) static void go_to_working_directory(void) {
  const char *dir = getenv("PWD");
  if (dir && chdir(dir)) {
    // It stays at "/", as a program does whose directory has gone.
  }
}
