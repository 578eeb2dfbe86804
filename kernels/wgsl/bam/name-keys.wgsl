//! needs: shared/launch, shared/key-words, bam/name-key
// Keys by name, step 2: the keys of one of several texts, whose records have numbers base to base + count.
//   text, starts (by number), key_starts (by number: name-lengths.wgsl, scanned) -> keys: those of all texts, one after
//   another; one thread per record, workgroups of 256.
// Bytes moved per record: those of step 1 and 4 more read, the key written.

struct Immediates { base: u32, count: u32 }
var<immediate> im: Immediates;

@group(0) @binding(0) var<storage, read> text: array<u32>;
@group(0) @binding(1) var<storage, read> starts: array<u32>;
@group(0) @binding(2) var<storage, read> key_starts: array<u32>;
@group(0) @binding(3) var<storage, read_write> keys: array<u32>;

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) grid: vec3u,
        @builtin(local_invocation_index) thread: u32) {
  let i = workgroup_number(id, grid) * 256u + thread;
  if (i >= im.count) { return; }
  place = key_starts[im.base + i] / 4u;
  put_key(starts[im.base + i]);
  while (filled < 3u) { put_byte(PADDING); }
  // Its last byte is NUL.
  keys[place] = word;
}
