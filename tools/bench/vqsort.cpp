// VQSort of Highway as a peer: vqsort TYPE IN OUT [avx2] sorts a file of numbers in the byte order of this machine. One
// thread. The library chooses the widest vectors that the processor has, with `avx2` at most those of AVX2: on some
// processors (AMD Zen 4) its stores of compressed vectors of AVX-512 take several times as long.
#include <hwy/contrib/sort/vqsort.h>
#include <hwy/targets.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>

namespace {

/// Reads, sorts and writes the numbers of a file. Returns the exit status.
template <typename T>
int sort_file(const char* source, const char* target) {
  FILE* in = std::fopen(source, "rb");
  if (in == nullptr) return 1;
  std::fseek(in, 0, SEEK_END);
  const size_t count = static_cast<size_t>(std::ftell(in)) / sizeof(T);
  std::rewind(in);
  const std::unique_ptr<T[]> numbers(new T[count]);
  const size_t got = std::fread(numbers.get(), sizeof(T), count, in);
  std::fclose(in);
  if (got != count) return 1;
  hwy::Sorter()(numbers.get(), count, hwy::SortAscending());
  FILE* out = std::fopen(target, "wb");
  if (out == nullptr) return 1;
  const size_t put = std::fwrite(numbers.get(), sizeof(T), count, out);
  return std::fclose(out) == 0 && put == count ? 0 : 1;
}

struct Type {
  const char* name;
  int (*sort)(const char*, const char*);
};

const Type kTypes[] = {
    {"u16", sort_file<uint16_t>}, {"u32", sort_file<uint32_t>}, {"u64", sort_file<uint64_t>},
    {"i16", sort_file<int16_t>},  {"i32", sort_file<int32_t>},  {"i64", sort_file<int64_t>},
    {"f32", sort_file<float>},    {"f64", sort_file<double>},
};

}  // namespace

int main(int argc, char** argv) {
  const bool narrow = argc == 5 && std::strcmp(argv[4], "avx2") == 0;
#if HWY_ARCH_X86
  if (narrow) hwy::DisableTargets(HWY_AVX3 | HWY_AVX3_DL);
#endif
  for (const Type& type : kTypes)
    if ((argc == 4 || narrow) && std::strcmp(argv[1], type.name) == 0) return type.sort(argv[2], argv[3]);
  std::fprintf(stderr, "usage: vqsort TYPE IN OUT [avx2]\n");
  return 2;
}
