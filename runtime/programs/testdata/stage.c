// Stage is one stage of a pipeline, by its first argument.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static char buf[1 << 16];

static int copy(long left) {
  size_t n;
  while (left > 0 && (n = fread(buf, 1, left < (long)sizeof buf ? (size_t)left : sizeof buf, stdin)) > 0) {
    if (fwrite(buf, 1, n, stdout) != n)
      return 1;
    left -= n;
  }
  return fflush(stdout) != 0;
}

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "cat";
  if (!strcmp(what, "cat"))
    return copy(0x7fffffff);
  if (!strcmp(what, "take")) // bytes
    return copy(atol(argv[2]));
  if (!strcmp(what, "eat")) {
    while (fread(buf, 1, sizeof buf, stdin) > 0)
      ;
    return 0;
  }
  if (!strcmp(what, "exit")) // status, without reading
    return atoi(argv[2]);
  if (!strcmp(what, "slow")) { // waits before it reads
    struct timespec t = {0, 20 * 1000 * 1000};
    nanosleep(&t, NULL);
    return copy(0x7fffffff);
  }
  if (!strcmp(what, "flood")) {
    memset(buf, 'y', sizeof buf);
    while (fwrite(buf, 1, sizeof buf, stdout) == sizeof buf)
      ;
    return 1;
  }
  return 2;
}
