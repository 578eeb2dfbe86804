// Times sorts of CUB beside those of `npm run bench:kernels`, which compiles this file, runs it after a problem and
// gives it the same input (cub.mjs). Checks each result on the device.
//
//   cub SORT TYPE N EXTRA RUNS < INPUT
//   SORT   radix, merge-sort, segmented, merge (of two runs); refine (strings)
//   TYPE   u32-keys, u32-pairs, u64-keys, u64-pairs; text. A value is the place of its key, 32 bits
//   EXTRA  the number of segments; of `merge`: keys of the first run; of strings: bytes of the text
//   INPUT  keys[N], then begins[EXTRA + 1] of segments; or the text, then starts[N + 1] of its lines, each with its
//          newline. Text has no NUL
//
// Prints a line of JSON: the card, versions, and milliseconds of each run by events, after half a second of warming up.
#include <cub/cub.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

using u32 = uint32_t;
using u64 = unsigned long long;

[[noreturn]] static void fail(const std::string &why) {
  fprintf(stderr, "error: %s\n", why.c_str());
  exit(1);
}

static void must(cudaError_t status) {
  if (status != cudaSuccess) fail(cudaGetErrorString(status));
}

/// An array on the device. It lives until the program ends.
template <class T> static T *device_array(size_t count) {
  T *data;
  must(cudaMalloc(&data, std::max<size_t>(count, 1) * sizeof(T)));
  return data;
}

/// An array whose `count` elements come from standard input, with `spare` bytes after them.
template <class T> static T *read_array(size_t count, size_t spare = 0) {
  T *data = device_array<T>(count + (spare + sizeof(T) - 1) / sizeof(T));
  std::vector<char> piece(1 << 24);
  for (size_t at = 0, bytes = count * sizeof(T); at < bytes;) {
    const size_t length = fread(piece.data(), 1, std::min(piece.size(), bytes - at), stdin);
    if (length == 0) fail("the input is too short");
    must(cudaMemcpy((char *)data + at, piece.data(), length, cudaMemcpyHostToDevice));
    at += length;
  }
  return data;
}

/// Threads of a workgroup of the kernels below, and workgroups for `count` threads.
constexpr u32 THREADS = 256;
static u32 blocks(u32 count) { return (count + THREADS - 1) / THREADS; }

/// Temporary storage for a function of CUB, which a first call asks for and a second one uses.
class Temporary {
  void *data = nullptr;
  size_t bytes = 0;

 public:
  /// Makes the storage that `call` needs.
  template <class Call> void reserve(Call call) {
    must(call(nullptr, bytes));
    data = device_array<char>(bytes);
  }

  template <class Call> void run(Call call) {
    if (data == nullptr) reserve(call);
    must(call(data, bytes));
  }
};

/// Milliseconds of each run of `sort`, by events, after a warm-up. `restore` comes before each run and is not timed.
static std::vector<float> times_of(int runs, std::function<void()> restore, std::function<void()> sort) {
  using clock = std::chrono::steady_clock;
  const auto begin = clock::now();
  do {
    restore();
    sort();
    must(cudaDeviceSynchronize());
  } while (clock::now() - begin < std::chrono::milliseconds(500));
  cudaEvent_t before, after;
  must(cudaEventCreate(&before));
  must(cudaEventCreate(&after));
  std::vector<float> times(runs);
  for (float &time : times) {
    restore();
    must(cudaDeviceSynchronize());
    must(cudaEventRecord(before));
    sort();
    must(cudaEventRecord(after));
    must(cudaEventSynchronize(after));
    must(cudaEventElapsedTime(&time, before, after));
  }
  return times;
}

static float median(std::vector<float> times) {
  std::nth_element(times.begin(), times.begin() + times.size() / 2, times.end());
  return times[times.size() / 2];
}

/// Fails unless a kernel that counts faults counted none.
static void expect_none(const u64 *faults, int kinds) {
  u64 counts[3] = {};
  must(cudaGetLastError());
  must(cudaMemcpy(counts, faults, kinds * sizeof(u64), cudaMemcpyDeviceToHost));
  for (int kind = 0; kind < kinds; kind++)
    if (counts[kind] != 0) fail("a wrong result (fault " + std::to_string(kind) + ")");
}

// ---- fixed keys ----

template <class Key> struct Arrays {
  Key *keys;
  u32 *values; // null: keys alone
};

/// Vigna's mix of splitmix64 (public domain).
__device__ static u64 scramble(u64 x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

__global__ void number(u32 *numbers, u32 n) {
  const u32 i = blockIdx.x * THREADS + threadIdx.x;
  if (i < n) numbers[i] = i;
}

/// The segment of place i: the last that begins at or before it.
__device__ static u32 segment_at(u32 i, const u32 *begins, u32 segments) {
  u32 low = 0;
  for (u32 high = segments; high - low > 1;) {
    const u32 middle = (low + high) / 2;
    (begins[middle] <= i ? low : high) = middle;
  }
  return low;
}

/// faults[0]: places out of order, by key, then value. With values, faults[1]: values that are not of their segment or
/// not of an equal key; otherwise faults[2]: the difference between two sums of hashes, of given and of sorted keys.
template <class Key>
__global__ void check_keys(const Key *given, Arrays<Key> sorted, const u32 *begins, u32 segments, u32 n, u64 *faults) {
  const u32 i = blockIdx.x * THREADS + threadIdx.x;
  if (i >= n) return;
  const u32 segment = segment_at(i, begins, segments);
  const Key key = sorted.keys[i];
  if (i > begins[segment]) {
    const Key previous = sorted.keys[i - 1];
    const bool follows = sorted.values == nullptr || sorted.values[i - 1] < sorted.values[i];
    if (!(previous < key || (previous == key && follows))) atomicAdd(&faults[0], 1);
  }
  if (sorted.values == nullptr) {
    const u64 seed = scramble(segment + 1);
    atomicAdd(&faults[2], scramble(key + seed) - scramble(given[i] + seed));
    return;
  }
  const u32 value = sorted.values[i];
  const bool inside = value >= begins[segment] && value < begins[segment + 1];
  if (!inside || given[value] != key) atomicAdd(&faults[1], 1);
}

/// A sort of n fixed keys: runs once on `from`, may use `spare`, and returns where the result is. Radix sort is tuned
/// differently if the type Count has 64 bits.
template <class Key, bool VALUES, class Count>
static Arrays<Key> sort_keys(const std::string &sort, Temporary &storage, Arrays<Key> from, Arrays<Key> spare, u32 n,
                             const u32 *begins, u32 extra) {
  const int count = n;
  cub::DoubleBuffer<Key> keys(from.keys, spare.keys);
  cub::DoubleBuffer<u32> values(from.values, spare.values);
  const cuda::std::less<> less;
  if (sort == "radix") {
    storage.run([&](void *data, size_t &bytes) {
      if constexpr (VALUES) return cub::DeviceRadixSort::SortPairs(data, bytes, keys, values, Count(n));
      else return cub::DeviceRadixSort::SortKeys(data, bytes, keys, Count(n));
    });
    return {keys.Current(), VALUES ? values.Current() : nullptr};
  }
  if (sort == "segmented") {
    storage.run([&](void *data, size_t &bytes) {
      if constexpr (VALUES)
        return cub::DeviceSegmentedSort::StableSortPairs(data, bytes, keys, values, count, extra, begins, begins + 1);
      else return cub::DeviceSegmentedSort::StableSortKeys(data, bytes, keys, count, extra, begins, begins + 1);
    });
    return {keys.Current(), VALUES ? values.Current() : nullptr};
  }
  if (sort == "merge-sort") {
    storage.run([&](void *data, size_t &bytes) {
      if constexpr (VALUES)
        return cub::DeviceMergeSort::StableSortPairs(data, bytes, from.keys, from.values, count, less);
      else return cub::DeviceMergeSort::StableSortKeys(data, bytes, from.keys, count, less);
    });
    return from;
  }
  if (sort == "merge") {
    storage.run([&](void *data, size_t &bytes) {
      if constexpr (VALUES)
        return cub::DeviceMerge::MergePairs(data, bytes, from.keys, from.values, extra, from.keys + extra,
                                            from.values + extra, n - extra, spare.keys, spare.values, less);
      else
        return cub::DeviceMerge::MergeKeys(data, bytes, from.keys, extra, from.keys + extra, n - extra, spare.keys,
                                           less);
    });
    return spare;
  }
  fail("no sort " + sort);
}

/// An input of n fixed keys, in `segments` segments, and arrays to sort them in.
template <class Key, bool VALUES> struct KeyInput {
  u32 n, segments, extra;
  const Key *given = read_array<Key>(n);
  const u32 *begins = read_array<u32>(segments + 1);
  Arrays<Key> from = arrays(), spare = arrays();
  u64 *faults = device_array<u64>(3);

  Arrays<Key> arrays() const { return {device_array<Key>(n), VALUES ? device_array<u32>(n) : nullptr}; }

  /// The times of a sort, whose last result is checked.
  template <class Count> std::vector<float> measure(const std::string &sort, int runs) const {
    Temporary storage;
    Arrays<Key> sorted;
    const auto restore = [&] {
      must(cudaMemcpyAsync(from.keys, given, n * sizeof(Key), cudaMemcpyDeviceToDevice));
      if (VALUES) number<<<blocks(n), THREADS>>>(from.values, n);
    };
    const auto times = times_of(runs, restore, [&] {
      sorted = sort_keys<Key, VALUES, Count>(sort, storage, from, spare, n, begins, extra);
    });
    must(cudaMemset(faults, 0, 3 * sizeof(u64)));
    check_keys<<<blocks(n), THREADS>>>(given, sorted, begins, segments, n, faults);
    expect_none(faults, 3);
    return times;
  }
};

template <class Key, bool VALUES>
static std::vector<float> measure_keys(const std::string &sort, u32 n, u32 extra, int runs) {
  const KeyInput<Key, VALUES> input = {n, sort == "segmented" ? extra : 1, extra};
  const auto times = input.template measure<u32>(sort, runs);
  if (sort != "radix") return times;
  // The faster tuning counts: on an H200 it is the one for 64 bits for keys, and the one for 32 bits for pairs.
  const auto others = input.template measure<u64>(sort, runs);
  return median(others) < median(times) ? others : times;
}

// ---- strings: a radix sort of their first 8 bytes, then of the next bytes of those that are still tied ----

struct Strings {
  const u32 *text; // padded with three words
  const u32 *starts;

  __device__ u32 length(u32 string) const { return starts[string + 1] - starts[string] - 1; }

  /// Eight bytes from `offset` on, zeros after the end. The first byte is the highest.
  __device__ u64 bytes(u32 string, u32 offset) const {
    const u32 size = length(string);
    if (size <= offset) return 0;
    const u32 at = starts[string] + offset;
    const u32 *word = text + at / 4;
    const u32 low = __funnelshift_r(word[0], word[1], 8 * at), high = __funnelshift_r(word[1], word[2], 8 * at);
    const u64 key = u64(__byte_perm(low, 0, 0x0123)) << 32 | __byte_perm(high, 0, 0x0123);
    return size - offset >= 8 ? key : key & ~0ull << (64 - 8 * (size - offset));
  }
};

/// Strings that are not in order yet, in the order found so far. Null places and segments: all strings, one segment.
struct Tied {
  u32 count, segments;
  u32 *strings, *places, *segment;

  __device__ u32 segment_of(u32 i) const { return segment == nullptr ? 0 : segment[i]; }
  __device__ u32 place_of(u32 i) const { return places == nullptr ? i : places[i]; }
};

/// What a round finds in the next bytes of tied strings.
struct Facts {
  u64 differing; // bits that differ inside any segment
  u64 last;      // bits of the eighth bytes: 0 if all strings have ended
};

/// keys[i] = the next eight bytes of a tied string; collects facts.
__global__ void make_keys(Strings all, Tied tied, u32 offset, u64 *keys, Facts *facts) {
  __shared__ u64 tile[THREADS];
  const u32 i = blockIdx.x * THREADS + threadIdx.x;
  const u64 key = i < tied.count ? all.bytes(tied.strings[i], offset) : 0;
  tile[threadIdx.x] = key;
  __syncthreads();
  u64 differing = 0;
  if (i < tied.count) {
    keys[i] = key;
    if (i > 0 && tied.segment_of(i) == tied.segment_of(i - 1))
      differing = key ^ (threadIdx.x > 0 ? tile[threadIdx.x - 1] : all.bytes(tied.strings[i - 1], offset));
  }
  const auto both = [](u64 a, u64 b) { return a | b; };
  using Reduce = cub::BlockReduce<u64, THREADS>;
  __shared__ typename Reduce::TempStorage shared[2];
  differing = Reduce(shared[0]).Reduce(differing, both);
  const u64 last = Reduce(shared[1]).Reduce(key & 255, both);
  if (threadIdx.x == 0 && differing != 0) atomicOr(&facts->differing, differing);
  if (threadIdx.x == 0 && last != 0) atomicOr(&facts->last, last);
}

/// keys[i] = the segment, then `bits` bits of the key from `low` on, then whether the string reaches beyond its byte at
/// `last`.
__global__ void compose(Tied tied, int low, int bits, int last, u64 *keys) {
  const u32 i = blockIdx.x * THREADS + threadIdx.x;
  if (i >= tied.count) return;
  const u64 key = keys[i];
  const u64 code = key >> low & (1ull << bits) - 1;
  keys[i] = (u64(tied.segment_of(i)) << bits | code) << 1 | ((key >> last & 255) != 0);
}

/// Of each tied string: whether it stays tied (high word), and whether it then begins a segment (low word).
struct StillTied {
  u32 count;
  const u64 *keys;
  u64 more; // the bits of a key that are 0 if its string has ended

  __device__ u64 operator()(u32 i) const {
    const u64 key = keys[i];
    const bool before = i > 0 && keys[i - 1] == key, after = i + 1 < count && keys[i + 1] == key;
    return (before || after) && (key & more) != 0 ? 1ull << 32 | !before : 0;
  }
};

/// Writes the strings that are no longer tied to their places, and the others to `next`. sums: of StillTied.
__global__ void divide(Tied tied, const u64 *sums, Tied next, u32 *order) {
  const u32 i = blockIdx.x * THREADS + threadIdx.x;
  if (i >= tied.count) return;
  const u64 sum = sums[i], before = i > 0 ? sums[i - 1] : 0;
  if (sum >> 32 == before >> 32) {
    order[tied.place_of(i)] = tied.strings[i];
    return;
  }
  const u32 at = u32(sum >> 32) - 1;
  next.strings[at] = tied.strings[i];
  next.places[at] = tied.place_of(i);
  next.segment[at] = u32(sum) - 1;
}

__global__ void place_all(Tied tied, u32 *order) {
  const u32 i = blockIdx.x * THREADS + threadIdx.x;
  if (i < tied.count) order[tied.place_of(i)] = tied.strings[i];
}

/// Counts places of strings that do not strictly follow the one before, by bytes, length, then number.
__global__ void check_order(Strings all, const u32 *order, u32 n, u64 *faults) {
  const u32 i = blockIdx.x * THREADS + threadIdx.x;
  if (i >= n || (i == 0 && order[0] < n)) return;
  const u32 a = i > 0 ? order[i - 1] : n, b = order[i];
  bool follows = a < n && b < n && a < b;
  if (a < n && b < n)
    for (u32 offset = 0; offset < max(all.length(a), all.length(b)); offset += 8) {
      const u64 left = all.bytes(a, offset), right = all.bytes(b, offset);
      follows = left == right ? follows : left < right;
      if (left != right) break;
    }
  if (!follows) atomicAdd(&faults[0], 1);
}

/// The arrays of a sort of n strings.
class StringSort {
  Strings all;
  u32 n;
  u64 *keys[2], *sums;
  u32 *strings[2], *places[2], *segments[2];
  Facts *facts;
  Temporary radix, scan;

 public:
  u32 *order;

  StringSort(Strings all, u32 n) : all(all), n(n) {
    for (int k = 0; k < 2; k++) {
      keys[k] = device_array<u64>(n);
      strings[k] = device_array<u32>(n);
      places[k] = device_array<u32>(n);
      segments[k] = device_array<u32>(n);
    }
    sums = device_array<u64>(n);
    order = device_array<u32>(n);
    facts = device_array<Facts>(1);
    // Later sorts may be by more bits than the first.
    radix.reserve([&](void *data, size_t &bytes) {
      cub::DoubleBuffer<u64> codes;
      cub::DoubleBuffer<u32> numbers;
      return cub::DeviceRadixSort::SortPairs(data, bytes, codes, numbers, int(n), 0, 64);
    });
  }

  void run() {
    number<<<blocks(n), THREADS>>>(strings[0], n);
    Tied tied = {n, 1, strings[0], nullptr, nullptr};
    for (u32 offset = 0, round = 0; tied.count > 0;) {
      must(cudaMemsetAsync(facts, 0, sizeof(Facts)));
      make_keys<<<blocks(tied.count), THREADS>>>(all, tied, offset, keys[0], facts);
      Facts found;
      must(cudaMemcpy(&found, facts, sizeof found, cudaMemcpyDeviceToHost));
      if (found.differing != 0) tied = next_of(tied, found.differing, offset, round++);
      else if (found.last != 0) offset += 8;
      else return place_all<<<blocks(tied.count), THREADS>>>(tied, order);
    }
  }

 private:
  /// Sorts tied strings by keys[0], of which only bits from `differing` matter: by as many leading bytes as fit beside
  /// the number of the segment. Returns the strings that are still tied, and advances `offset`.
  Tied next_of(Tied tied, u64 differing, u32 &offset, u32 round) {
    int low = __builtin_ctzll(differing), end = 64 - __builtin_clzll(differing), length = 8;
    u64 more = 255;
    if (tied.segments > 1) {
      const int segment_bits = 32 - __builtin_clz(tied.segments - 1);
      for (; end - low + segment_bits + 1 > 64; low = std::max(low, 8 * (8 - length))) length--;
      compose<<<blocks(tied.count), THREADS>>>(tied, low, end - low, 8 * (8 - length), keys[0]);
      end = end - low + segment_bits + 1;
      more = low = 1;
    }
    offset += length;
    cub::DoubleBuffer<u64> sorted(keys[0], keys[1]);
    u32 *spare = tied.strings == strings[0] ? strings[1] : strings[0];
    cub::DoubleBuffer<u32> numbers(tied.strings, spare);
    radix.run([&](void *data, size_t &bytes) {
      return cub::DeviceRadixSort::SortPairs(data, bytes, sorted, numbers, int(tied.count), low, end);
    });
    tied.strings = numbers.Current();
    const Tied next = {0, 0, numbers.Alternate(), places[round % 2], segments[round % 2]};
    const StillTied still = {tied.count, sorted.Current(), more};
    const auto flags = thrust::make_transform_iterator(thrust::make_counting_iterator(0u), still);
    scan.run([&](void *data, size_t &bytes) {
      return cub::DeviceScan::InclusiveSum(data, bytes, flags, sums, int(tied.count));
    });
    divide<<<blocks(tied.count), THREADS>>>(tied, sums, next, order);
    u64 sum;
    must(cudaMemcpy(&sum, sums + tied.count - 1, sizeof sum, cudaMemcpyDeviceToHost));
    return {u32(sum >> 32), u32(sum), next.strings, next.places, next.segment};
  }
};

static std::vector<float> measure_strings(u32 n, u32 text_bytes, int runs) {
  const u32 *text = (const u32 *)read_array<char>(text_bytes, 12);
  const Strings all = {text, read_array<u32>(n + 1)};
  StringSort sort(all, n);
  const auto times = times_of(runs, [] {}, [&] { sort.run(); });
  u64 *faults = device_array<u64>(1);
  must(cudaMemset(faults, 0, sizeof(u64)));
  check_order<<<blocks(n), THREADS>>>(all, sort.order, n, faults);
  expect_none(faults, 1);
  return times;
}

int main(int count, char **words) {
  if (count != 6) fail("usage: cub SORT TYPE N EXTRA RUNS < INPUT");
  const std::string sort = words[1], type = words[2];
  const u32 n = strtoul(words[3], nullptr, 10), extra = strtoul(words[4], nullptr, 10);
  const int runs = atoi(words[5]);
  if (n < 2 || runs < 1) fail("N must be at least 2, RUNS at least 1");
  const auto times = type == "u32-keys"    ? measure_keys<u32, false>(sort, n, extra, runs)
                     : type == "u32-pairs" ? measure_keys<u32, true>(sort, n, extra, runs)
                     : type == "u64-keys"  ? measure_keys<u64, false>(sort, n, extra, runs)
                     : type == "u64-pairs" ? measure_keys<u64, true>(sort, n, extra, runs)
                     : type == "text"      ? measure_strings(n, extra, runs)
                                           : (fail("no type " + type), std::vector<float>());
  cudaDeviceProp card;
  must(cudaGetDeviceProperties(&card, 0));
  printf("{\"card\":\"%s\",\"cuda\":\"%d.%d\",\"cub\":\"%d.%d.%d\",\"times\":[", card.name, CUDART_VERSION / 1000,
         CUDART_VERSION / 10 % 100, CUB_VERSION / 100000, CUB_VERSION / 100 % 1000, CUB_VERSION % 100);
  for (size_t i = 0; i < times.size(); i++) printf("%s%.6f", i == 0 ? "" : ",", times[i]);
  printf("]}\n");
}
