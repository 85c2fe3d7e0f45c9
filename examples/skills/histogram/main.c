/* Histogram draws how the numbers on its standard input are spread. What stands between them, JSON or text, does not matter. */
#include <stdio.h>
#include <stdlib.h>

enum { RANGES = 10, WIDTH = 50, MOST = 100000 };

static double numbers[MOST];

/* next reads a number, and gives back 0 when there is none. */
static int next(double *n) {
	int c;
	while ((c = getchar()) != EOF) {
		if (c != '-' && (c < '0' || c > '9'))
			continue;
		ungetc(c, stdin);
		if (scanf("%lf", n) == 1)
			return 1;
		getchar();
	}
	return 0;
}

int main(void) {
	int count = 0, in[RANGES] = {0}, most = 1;
	double n, least = 0, largest = 0;
	while (count < MOST && next(&n)) {
		if (count == 0 || n < least)
			least = n;
		if (count == 0 || n > largest)
			largest = n;
		numbers[count++] = n;
	}
	if (count == 0) {
		fputs("histogram: there are no numbers\n", stderr);
		return 1;
	}
	double step = (largest - least) / RANGES;
	for (int i = 0; i < count; i++) {
		int at = step > 0 ? (int)((numbers[i] - least) / step) : 0;
		if (at >= RANGES)
			at = RANGES - 1;
		if (++in[at] > most)
			most = in[at];
	}
	for (int i = 0; i < RANGES; i++) {
		printf("%12g %6d ", least + i * step, in[i]);
		for (int bar = in[i] * WIDTH / most; bar > 0; bar--)
			putchar('#');
		putchar('\n');
	}
	return ferror(stdin) || fflush(stdout) ? 1 : 0;
}
