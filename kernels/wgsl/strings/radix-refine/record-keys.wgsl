//! needs: shared/launch, strings/radix-refine/symbols, strings/radix-refine/first-digit-{FIRST_DIGIT}
// Radix-refine, step 4: each record's packed key after the bytes that all records share.
//   text, starts[n + 1], packing -> keys[n] (high, low), numbers[n] = 0, 1, 2 ...; workgroups of 256 threads,
//   PER_THREAD records each. For a sort by splits, the keys are also counted by their first digit.
// Bytes moved per record: 8 of starts and the key's bytes of text read, 16 at a time; 12 written.

struct Immediates { n: u32 }
var<immediate> im: Immediates;

@group(0) @binding(0) var<storage, read> text: array<u32>;
@group(0) @binding(1) var<storage, read> starts: array<u32>;
@group(0) @binding(2) var<storage, read> packing: array<u32>;
@group(0) @binding(3) var<storage, read_write> keys: array<vec2u>;
@group(0) @binding(4) var<storage, read_write> numbers: array<u32>;
@group(0) @binding(5) var<storage, read> vectors: array<vec4u>;

@compute @workgroup_size(THREADS)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) grid: vec3u,
        @builtin(local_invocation_index) thread: u32) {
  if (!is_chosen()) { return; }
  load_codes(thread);
  begin_counting(thread);
  workgroupBarrier();
  let first = workgroup_number(id, grid) * (THREADS * PER_THREAD) + thread;
  for (var k = 0u; k < PER_THREAD; k++) {
    let i = first + k * THREADS;
    if (i < im.n) {
      let key = packed_key(i, packing[BASE], 0u);
      keys[i] = key;
      numbers[i] = i;
      count_key(key);
    }
  }
  end_counting(thread);
}
