// The standard sort that paper 2 compares with, in C: qsort-lines IN OUT reads lines, sorts pointers to them by qsort
// and strcmp, on one thread, and writes the lines in order. Prints the milliseconds of the sort alone.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

static int compare(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

static char *read_file(const char *path, size_t *bytes) {
  FILE *in = fopen(path, "rb");
  if (in == NULL) return NULL;
  fseek(in, 0, SEEK_END);
  *bytes = (size_t)ftell(in);
  rewind(in);
  char *text = malloc(*bytes + 1);
  if (text != NULL && fread(text, 1, *bytes, in) != *bytes) text = NULL;
  fclose(in);
  return text;
}

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  size_t bytes;
  char *text = read_file(argv[1], &bytes);
  if (text == NULL) return 1;
  size_t count = 0, at = 0;
  for (size_t i = 0; i < bytes; i++) count += text[i] == '\n';
  char **lines = malloc((count + 1) * sizeof *lines);
  if (lines == NULL) return 1;
  lines[0] = text;
  for (size_t i = 0; i < bytes; i++) {
    if (text[i] != '\n') continue;
    text[i] = 0;
    lines[++at] = text + i + 1;
  }
  const double begin = now_ms();
  qsort(lines, count, sizeof *lines, compare);
  const double ms = now_ms() - begin;
  FILE *out = fopen(argv[2], "wb");
  if (out == NULL) return 1;
  for (size_t i = 0; i < count; i++) {
    fputs(lines[i], out);
    putc('\n', out);
  }
  if (fclose(out) != 0) return 1;
  printf("%.4f\n", ms);
  return 0;
}
