// Probe tells what a C program sees: one command for each thing.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static int fail(const char *what) {
  fprintf(stderr, "probe: %s: %s\n", what, strerror(errno));
  return 1;
}

static int copy(FILE *in) {
  static char buf[65536]; // more than the stack holds
  size_t n;
  while ((n = fread(buf, 1, sizeof buf, in)) > 0)
    if (fwrite(buf, 1, n, stdout) != n)
      return fail("write");
  return fflush(stdout) ? fail("write") : 0;
}

static int byName(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static int list(const char *dir) {
  DIR *d = opendir(dir);
  if (!d)
    return fail(dir);
  char *names[1000];
  int n = 0;
  for (struct dirent *e; (e = readdir(d)) && n < 1000;)
    if (strcmp(e->d_name, ".") && strcmp(e->d_name, ".."))
      names[n++] = strdup(e->d_name);
  closedir(d);
  qsort(names, n, sizeof *names, byName);
  for (int i = 0; i < n; i++)
    puts(names[i]);
  return 0;
}

static int words(void) {
  long lines = 0, count = 0, in = 0;
  for (int c; (c = getchar()) != EOF;) {
    lines += c == '\n';
    int blank = c == ' ' || c == '\n' || c == '\t';
    count += !blank && !in;
    in = !blank;
  }
  printf("%ld %ld\n", lines, count);
  return 0;
}

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "";
  if (!strcmp(what, "args")) {
    for (int i = 0; i < argc; i++)
      printf("%d=[%s]\n", i, argv[i]);
  } else if (!strcmp(what, "env")) {
    const char *v = getenv(argv[2]);
    printf("%s\n", v ? v : "(unset)");
  } else if (!strcmp(what, "cat")) {
    if (argc < 3)
      return copy(stdin);
    for (int i = 2; i < argc; i++) {
      FILE *f = fopen(argv[i], "r");
      if (!f)
        return fail(argv[i]);
      if (copy(f))
        return 1;
      fclose(f);
    }
  } else if (!strcmp(what, "write")) {
    FILE *f = fopen(argv[2], "w");
    if (!f || fputs(argv[3], f) < 0 || fclose(f))
      return fail(argv[2]);
  } else if (!strcmp(what, "append")) {
    int f = open(argv[2], O_WRONLY | O_APPEND | O_CREAT, 0666);
    if (f < 0 || write(f, argv[3], strlen(argv[3])) < 0 || close(f))
      return fail(argv[2]);
  } else if (!strcmp(what, "rename")) {
    if (rename(argv[2], argv[3]))
      return fail(argv[2]);
  } else if (!strcmp(what, "remove")) {
    if (remove(argv[2]))
      return fail(argv[2]);
  } else if (!strcmp(what, "mkdir")) {
    if (mkdir(argv[2], 0777))
      return fail(argv[2]);
  } else if (!strcmp(what, "list")) {
    return list(argv[2]);
  } else if (!strcmp(what, "size")) {
    struct stat st;
    if (stat(argv[2], &st))
      return fail(argv[2]);
    printf("%lld %s\n", (long long)st.st_size, S_ISDIR(st.st_mode) ? "directory" : "file");
  } else if (!strcmp(what, "pwd")) {
    char buf[4096];
    puts(getcwd(buf, sizeof buf) ? buf : strerror(errno));
  } else if (!strcmp(what, "chdir")) {
    if (chdir(argv[2]))
      return fail(argv[2]);
    return list(".");
  } else if (!strcmp(what, "words")) {
    return words();
  } else if (!strcmp(what, "exit")) {
    exit(atoi(argv[2]));
  } else if (!strcmp(what, "abort")) {
    abort();
  } else if (!strcmp(what, "segv")) {
    volatile char *p = (char *)0xfffffff0;
    *p = 1;
  } else if (!strcmp(what, "flood")) {
    while (puts("y") >= 0)
      ;
    return fail("write");
  } else if (!strcmp(what, "spin")) {
    for (volatile int i = 0;; i++)
      ;
  } else if (!strcmp(what, "sleep")) {
    struct timespec t = {0, atol(argv[2]) * 1000000};
    nanosleep(&t, NULL);
  } else if (!strcmp(what, "eat")) {
    static char *volatile last; // so that the memory is in use
    while ((last = malloc(1 << 20)))
      memset(last, 1, 1 << 20);
    return fail("malloc");
  } else {
    fprintf(stderr, "probe: what is \"%s\"?\n", what);
    return 2;
  }
  return 0;
}
