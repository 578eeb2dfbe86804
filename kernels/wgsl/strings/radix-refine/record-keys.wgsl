//! needs: shared/launch, strings/radix-refine/symbols
// Radix-refine, step 3: each record's packed key after the bytes that all records share.
//   text, starts[n + 1], symbols[256] -> keys[n] (high, low), numbers[n] = 0, 1, 2 ...;
//   one thread per record, workgroups of 256.
// Bytes moved per record: 8 of starts and the key's bytes of text read, 16 at a time; 12 written.

struct Immediates { n: u32, depth: u32, symbol_bits: u32, key_symbols: u32 }
var<immediate> im: Immediates;

@group(0) @binding(0) var<storage, read> text: array<u32>;
@group(0) @binding(1) var<storage, read> starts: array<u32>;
@group(0) @binding(2) var<storage, read> symbols: array<u32>;
@group(0) @binding(3) var<storage, read_write> keys: array<vec2u>;
@group(0) @binding(4) var<storage, read_write> numbers: array<u32>;
@group(0) @binding(5) var<storage, read> vectors: array<vec4u>;

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) grid: vec3u,
        @builtin(local_invocation_index) thread: u32) {
  load_symbols(thread);
  let i = workgroup_number(id, grid) * 256u + thread;
  if (i >= im.n) { return; }
  keys[i] = packed_key(i, im.depth);
  numbers[i] = i;
}
