// Quicksort, between the phases: the number of workgroups in each dispatch of phase two.
//   listed -> launches[3 * count], the sizes of indirect dispatches of at most `size` pieces each; one workgroup.
// Moves a few words.

struct Immediates { count: u32, size: u32 }
var<immediate> im: Immediates;

@group(0) @binding(0) var<storage, read> listed: array<u32>;
@group(0) @binding(1) var<storage, read_write> launches: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) thread: u32) {
  for (var i = thread; i < im.count; i += 64u) {
    let before = min(i * im.size, listed[0]);
    launches[3u * i] = min(listed[0] - before, im.size);
    launches[3u * i + 1u] = 1u;
    launches[3u * i + 2u] = 1u;
  }
}
