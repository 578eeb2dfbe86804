/*
 * The limit for a sort between two pipes: stores all of standard input in memory, then writes it to standard output.
 * It reads straight into memory that it asks for piece by piece, and copies nothing.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { PIECE_BYTES = 4 << 20, MOST_PIECES = 1 << 16 };

static char *pieces[MOST_PIECES];
static size_t sizes[MOST_PIECES];

static void fail(const char *what) {
  perror(what);
  exit(2);
}

int main(void) {
  int count = 0;
  for (int ended = 0; !ended; count++) {
    if (count == MOST_PIECES) {
      fputs("hold: the input is too large\n", stderr);
      return 2;
    }
    char *piece = malloc(PIECE_BYTES);
    if (piece == NULL) fail("hold: no memory");
    size_t held = 0;
    while (held < PIECE_BYTES) {
      ssize_t got = read(STDIN_FILENO, piece + held, PIECE_BYTES - held);
      if (got < 0 && errno != EINTR) fail("hold: read");
      if (got == 0) {
        ended = 1;
        break;
      }
      if (got > 0) held += (size_t)got;
    }
    pieces[count] = piece;
    sizes[count] = held;
  }
  for (int i = 0; i < count; i++)
    for (size_t done = 0; done < sizes[i];) {
      ssize_t put = write(STDOUT_FILENO, pieces[i] + done, sizes[i] - done);
      if (put < 0 && errno != EINTR) fail("hold: write");
      if (put > 0) done += (size_t)put;
    }
  return 0;
}
