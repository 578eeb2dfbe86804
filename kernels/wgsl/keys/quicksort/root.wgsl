//! needs: keys/key-{KEY_WORDS}, keys/quicksort/key-average-{KEY_WORDS}, keys/quicksort/thread-keys
//! needs: keys/quicksort/place
// Quicksort, before phase one: makes the whole input the first sequence. If all keys are equal, nothing is left to do.
//   sections[count] (extent.wgsl) -> next[1], next_owners[sections], counts, or a piece of phase two;
//   one workgroup of THREADS.
// Moves a few words per section.
// Source: Cederman and Tsigas 2008, algorithm 1.

struct Immediates {
  n: u32, count: u32,
  section_keys: u32, slot: u32, side: u32, least_length: u32, enough: u32, long: u32,
}
var<immediate> im: Immediates;

@group(0) @binding(0) var<storage, read> sections: array<Section>;
@group(0) @binding(1) var<storage, read_write> next: array<Sequence>;
@group(0) @binding(2) var<storage, read_write> next_owners: array<u32>;
@group(0) @binding(3) var<storage, read_write> claims: array<atomic<u32>>;
@group(0) @binding(4) var<storage, read_write> counts: array<atomic<u32>>;
@group(0) @binding(5) var<storage, read_write> listed: array<atomic<u32>>;
@group(0) @binding(6) var<storage, read_write> pieces: array<Piece>;

@compute @workgroup_size(THREADS)
fn main(@builtin(local_invocation_index) thread: u32) {
  var least = sections[0].least_larger;
  var most = sections[0].most_smaller;
  for (var i = thread; i < im.count; i += THREADS) {
    least = earlier_key(least, sections[i].least_larger);
    most = later_key(most, sections[i].most_smaller);
  }
  least = first_thread_key(thread, least);
  most = last_thread_key(thread, most);
  if (thread == 0u) { place_sequence(0u, 0u, im.n, least, most, 0u); }
  workgroupBarrier();
  list_placed(thread, 0u);
}
