// The merges on the host that paper 4 compares with, in C: one serial merge, and merge path on several threads (Odeh,
// Green, Mwassi, Shmueli, Birk 2012). merge TYPE N FIRST RUNS THREADS... merges two sorted runs of FIRST and N - FIRST
// numbers (TYPE: i32, f32, i64, f64) into N, RUNS times after one that is not timed. It prints a line for each number
// of threads: that number and the milliseconds of each run. Outputs are checked.
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

static void fail(const char *why) {
  fprintf(stderr, "error: %s\n", why);
  exit(1);
}

// Two runs and their merge.
typedef struct {
  const void *a, *b;
  void *out;
  size_t a_count, b_count;
} Merge;

// What is done with numbers of a type.
typedef struct {
  const char *name;
  size_t bytes;
  void (*fill)(void *run, size_t count, uint64_t seed);
  void (*serial)(const Merge *merge);
  void (*part)(const Merge *merge, size_t begin, size_t end);  // outputs [begin, end)
  int (*in_order)(const void *run, size_t count);
} Type;

static double fraction(uint64_t *state) {
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return (double)(*state >> 11) / 9007199254740992.0;
}

// Equal numbers of `a` come first. `NUMBER` makes a number of a place in the run, from 0 to 1.
#define TYPE(T, NUMBER)                                                                        \
  static void fill_##T(void *run, size_t count, uint64_t seed) {                               \
    uint64_t state = seed;                                                                     \
    for (size_t i = 0; i < count; i++) {                                                       \
      const double place = ((double)i + fraction(&state)) / (double)count;                     \
      ((T *)run)[i] = (T)(NUMBER);                                                             \
    }                                                                                          \
  }                                                                                            \
  static void merge_##T(const T *a, size_t a_count, const T *b, size_t b_count, T *out, size_t count) { \
    size_t i = 0, k = 0, at = 0;                                                               \
    while (at < count && i < a_count && k < b_count) {                                         \
      if (b[k] < a[i]) out[at++] = b[k++];                                                     \
      else out[at++] = a[i++];                                                                 \
    }                                                                                          \
    const size_t left = a_count - i < count - at ? a_count - i : count - at;                   \
    memcpy(out + at, a + i, left * sizeof(T));                                                 \
    at += left;                                                                                \
    memcpy(out + at, b + k, (count - at) * sizeof(T));                                         \
  }                                                                                            \
  static void serial_##T(const Merge *m) {                                                     \
    merge_##T(m->a, m->a_count, m->b, m->b_count, m->out, m->a_count + m->b_count);            \
  }                                                                                            \
  static void part_##T(const Merge *m, size_t begin, size_t end) {                             \
    const T *a = m->a, *b = m->b;                                                              \
    size_t low = begin > m->b_count ? begin - m->b_count : 0;                                  \
    size_t high = begin < m->a_count ? begin : m->a_count;                                     \
    while (low < high) {                                                                       \
      const size_t middle = (low + high) / 2;                                                  \
      if (b[begin - 1 - middle] < a[middle]) high = middle;                                    \
      else low = middle + 1;                                                                   \
    }                                                                                          \
    const size_t skipped = begin - low;                                                        \
    merge_##T(a + low, m->a_count - low, b + skipped, m->b_count - skipped, (T *)m->out + begin, end - begin); \
  }                                                                                            \
  static int in_order_##T(const void *run, size_t count) {                                     \
    for (size_t i = 1; i < count; i++)                                                         \
      if (((const T *)run)[i] < ((const T *)run)[i - 1]) return 0;                             \
    return 1;                                                                                  \
  }

TYPE(int32_t, (place - 0.5) * 4294967296.0)
TYPE(float, 2 * place - 1)
TYPE(int64_t, (place - 0.5) * 18446744073709549568.0)
TYPE(double, 2 * place - 1)

#define ROW(NAME, T) {NAME, sizeof(T), fill_##T, serial_##T, part_##T, in_order_##T}
static const Type TYPES[] = {ROW("i32", int32_t), ROW("f32", float), ROW("i64", int64_t), ROW("f64", double)};

// Threads that wait for each other before and after each merge.
typedef struct {
  const Type *type;
  const Merge *merge;
  size_t threads;
  int runs;
  pthread_barrier_t begin, end;
} Team;

typedef struct {
  Team *team;
  size_t number;
} Member;

static void merge_share(const Team *team, size_t number) {
  const size_t all = team->merge->a_count + team->merge->b_count;
  const size_t share = all / team->threads;
  team->type->part(team->merge, number * share, number + 1 == team->threads ? all : (number + 1) * share);
}

static void *work(void *given) {
  const Member *member = given;
  for (int run = 0; run < member->team->runs; run++) {
    pthread_barrier_wait(&member->team->begin);
    merge_share(member->team, member->number);
    pthread_barrier_wait(&member->team->end);
  }
  return NULL;
}

// Times merges with several threads; this one is number 0. The first is not counted.
static void time_team(Team *team, double *ms) {
  pthread_t handles[256];
  Member members[256];
  pthread_barrier_init(&team->begin, NULL, (unsigned)team->threads);
  pthread_barrier_init(&team->end, NULL, (unsigned)team->threads);
  for (size_t i = 1; i < team->threads; i++) {
    members[i] = (Member){team, i};
    if (pthread_create(&handles[i], NULL, work, &members[i]) != 0) fail("cannot start a thread");
  }
  for (int run = 0; run < team->runs; run++) {
    pthread_barrier_wait(&team->begin);
    const double begin = now_ms();
    merge_share(team, 0);
    pthread_barrier_wait(&team->end);
    ms[run] = now_ms() - begin;
  }
  for (size_t i = 1; i < team->threads; i++) pthread_join(handles[i], NULL);
}

static void time_serial(const Type *type, const Merge *merge, int runs, double *ms) {
  for (int run = 0; run < runs; run++) {
    const double begin = now_ms();
    type->serial(merge);
    ms[run] = now_ms() - begin;
  }
}

// The sum of the 32-bit words of numbers, which does not depend on their order.
static uint64_t sum_of(const void *numbers, size_t bytes) {
  uint64_t sum = 0;
  for (size_t i = 0; i < bytes; i += 4) {
    uint32_t word;
    memcpy(&word, (const char *)numbers + i, 4);
    sum += word;
  }
  return sum;
}

static void check(const Type *type, const Merge *m) {
  const size_t all = m->a_count + m->b_count;
  if (!type->in_order(m->out, all)) fail("wrong: out of order");
  const uint64_t before = sum_of(m->a, m->a_count * type->bytes) + sum_of(m->b, m->b_count * type->bytes);
  if (sum_of(m->out, all * type->bytes) != before)
    fail("wrong: other numbers than those of the runs");
}

int main(int argc, char **argv) {
  if (argc < 6) fail("usage: merge TYPE N FIRST RUNS THREADS...");
  const Type *type = NULL;
  for (size_t i = 0; i < sizeof TYPES / sizeof *TYPES; i++)
    if (strcmp(TYPES[i].name, argv[1]) == 0) type = &TYPES[i];
  const size_t n = strtoull(argv[2], NULL, 10), first = strtoull(argv[3], NULL, 10);
  const int runs = atoi(argv[4]);
  if (type == NULL || first > n || runs < 1 || runs > 255) fail("bad arguments");
  void *a = malloc(first * type->bytes + 8), *b = malloc((n - first) * type->bytes + 8);
  void *out = malloc(n * type->bytes + 8);
  if (a == NULL || b == NULL || out == NULL) fail("out of memory");
  type->fill(a, first, 88172645463325252u);
  type->fill(b, n - first, 362436069362436069u);
  const Merge merge = {a, b, out, first, n - first};
  for (int i = 5; i < argc; i++) {
    const size_t threads = strtoull(argv[i], NULL, 10);
    if (threads < 1 || threads > 256) fail("bad number of threads");
    double ms[256];
    memset(out, 0, n * type->bytes);
    Team team = {.type = type, .merge = &merge, .threads = threads, .runs = runs + 1};
    if (threads == 1) time_serial(type, &merge, runs + 1, ms);
    else time_team(&team, ms);
    check(type, &merge);
    printf("%zu", threads);
    for (int run = 1; run <= runs; run++) printf(" %.4f", ms[run]);
    printf("\n");
  }
  return 0;
}
