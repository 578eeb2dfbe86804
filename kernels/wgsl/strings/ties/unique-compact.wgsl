//! needs: shared/launch
// Drops the records from the order that `keep` (ties/put.wgsl) marks 0.
//   order[n], kept[n + 1] (the scan of keep) -> compacted[kept[n]]; one thread per record, workgroups of 256.
// Bytes moved per record: 8 to 12 read, up to 4 written.

struct Immediates { n: u32 }
var<immediate> im: Immediates;

@group(0) @binding(0) var<storage, read> order: array<u32>;
@group(0) @binding(1) var<storage, read> kept: array<u32>;
@group(0) @binding(2) var<storage, read_write> compacted: array<u32>;

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) grid: vec3u,
        @builtin(local_invocation_index) thread: u32) {
  let i = workgroup_number(id, grid) * 256u + thread;
  if (i >= im.n) { return; }
  let place = kept[i];
  if (kept[i + 1u] != place) { compacted[place] = order[i]; }
}
