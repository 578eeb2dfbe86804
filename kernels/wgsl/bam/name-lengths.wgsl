//! needs: shared/launch, bam/name-key
// Keys by name, step 1: the lengths of the keys of one of several texts, whose records have numbers base to
// base + count.
//   text, starts (by number) -> lengths (by number), to be scanned; one thread per record, workgroups of 256.
// Bytes moved per record: 4, a sector of 32 and the name read, 4 written.

struct Immediates { base: u32, count: u32 }
var<immediate> im: Immediates;

@group(0) @binding(0) var<storage, read> text: array<u32>;
@group(0) @binding(1) var<storage, read> starts: array<u32>;
@group(0) @binding(2) var<storage, read_write> lengths: array<u32>;

var<private> bytes: u32 = 0u;

fn put_byte(byte: u32) { bytes++; }

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) grid: vec3u,
        @builtin(local_invocation_index) thread: u32) {
  let i = workgroup_number(id, grid) * 256u + thread;
  if (i >= im.count) { return; }
  put_key(starts[im.base + i]);
  // At least one byte follows, the NUL.
  lengths[im.base + i] = (bytes & ~3u) + 4u;
}
