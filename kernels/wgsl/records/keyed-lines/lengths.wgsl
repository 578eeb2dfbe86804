//! needs: shared/launch, records/keyed-lines/key-rows
// Keyed lines, step 1: the length of each keyed line.
//   text, starts[n + 1] (lines as read), parts, tables -> lengths[n], to be scanned; totals[0] (added to): lines whose
//   keys the device cannot make (put_rows); totals[1]: the lengths in steps of 16 bytes, rounded up, so that the host
//   knows whether their sum fits into 32 bits. Lines `first` to before `last` of the n; one thread per line, workgroups
//   of 256.
// Each thread goes through its line's parts and counts the bytes that put_rows puts.
// Bytes moved per line: 4 of starts, the keys' text and what precedes it read, 4 written.

struct Immediates { first: u32, last: u32, parts: u32 }
var<immediate> im: Immediates;

@group(0) @binding(0) var<storage, read> text: array<u32>;
@group(0) @binding(1) var<storage, read> starts: array<u32>;
@group(0) @binding(2) var<storage, read> parts: array<Part>;
@group(0) @binding(3) var<storage, read> tables: array<u32>;
@group(0) @binding(4) var<storage, read_write> lengths: array<u32>;
@group(0) @binding(5) var<storage, read_write> totals: array<atomic<u32>, 2>;

const STEP_BITS = 4u;

var<private> key_bytes: u32 = 0u;
var<workgroup> incomplete: atomic<u32>;
var<workgroup> steps: atomic<u32>;

fn put_byte(byte: u32) { key_bytes++; }

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) grid: vec3u,
        @builtin(local_invocation_index) thread: u32) {
  if (thread == 0u) {
    atomicStore(&incomplete, 0u);
    atomicStore(&steps, 0u);
  }
  workgroupBarrier();
  let i = im.first + workgroup_number(id, grid) * 256u + thread;
  if (i < im.last) {
    let begin = starts[i];
    let end = starts[i + 1u];
    let complete = put_rows(begin, end - 1u, im.parts);
    let length = HEADER + key_bytes + (end - begin);
    lengths[i] = length;
    atomicAdd(&steps, (length >> STEP_BITS) + 1u);
    if (!complete) { atomicAdd(&incomplete, 1u); }
  }
  workgroupBarrier();
  if (thread == 0u) {
    atomicAdd(&totals[1], atomicLoad(&steps));
    let count = atomicLoad(&incomplete);
    if (count != 0u) { atomicAdd(&totals[0], count); }
  }
}
