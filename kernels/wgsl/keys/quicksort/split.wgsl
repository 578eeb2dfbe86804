//! needs: keys/key-{KEY_WORDS}, keys/quicksort/key-average-{KEY_WORDS}, shared/thread-sums
//! needs: keys/quicksort/thread-keys, keys/quicksort/place
// Quicksort, phase one, after each partition: routes the parts of each sequence.
//   sequences, sections -> next, next_owners, claims (zeros), counts, listed, pieces; for pairs, the counts in sections
//   become positions. One workgroup of THREADS per sequence, dispatched indirectly.
//   1. The workgroup sums the counts of the sequence's sections; for pairs in section order, so that moving is stable.
//   2. The greatest of the smaller and the least of the larger keys bound the two resulting sequences.
//   3. Long sequences go to the next iteration, with sections in proportion to their size, others to phase two.
//      Elements equal to the pivot are settled, and so is a sequence whose least and greatest key are equal.
// Moves a few words per section.
// Source: Cederman and Tsigas 2008, algorithm 1 and section 3.2.1 (work assignment), which runs on the CPU there.

struct Immediates { section_keys: u32, slot: u32, side: u32, least_length: u32, enough: u32, long: u32 }
var<immediate> im: Immediates;

@group(0) @binding(0) var<storage, read> sequences: array<Sequence>;
@group(0) @binding(1) var<storage, read_write> sections: array<Section>;
@group(0) @binding(2) var<storage, read_write> next: array<Sequence>;
@group(0) @binding(3) var<storage, read_write> next_owners: array<u32>;
@group(0) @binding(4) var<storage, read_write> claims: array<atomic<u32>>;
@group(0) @binding(5) var<storage, read_write> counts: array<atomic<u32>>;
@group(0) @binding(6) var<storage, read_write> listed: array<atomic<u32>>;
@group(0) @binding(7) var<storage, read_write> pieces: array<Piece>;

@compute @workgroup_size(THREADS)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) grid: vec3u,
        @builtin(local_invocation_index) thread: u32) {
  let sequence = sequences[id.x];
  let sequence_end = sequence.begin + sequence.length;
  var most_smaller = sequence.least;
  var least_larger = sequence.most;
  var smaller = 0u;
  var larger = 0u;
  var equal = 0u;
  for (var base = 0u; base < sequence.sections; base += THREADS) {
    let at = sequence.first_section + base + thread;
    let mine = base + thread < sequence.sections;
    // Assigned in every round: the zero value of a declaration may be set in the first round only.
    var found = vec3u(0u);
    if (mine) {
      found = vec3u(sections[at].smaller, sections[at].larger, sections[at].equal);
      if (found.x > 0u) { most_smaller = later_key(most_smaller, sections[at].most_smaller); }
      if (found.y > 0u) { least_larger = earlier_key(least_larger, sections[at].least_larger); }
    }
    let smaller_sums = thread_sums(thread, found.x);
    let larger_sums = thread_sums(thread, found.y);
    if (VALUES == 1u) {
      let equal_sums = thread_sums(thread, found.z);
      if (mine) {
        sections[at].smaller = smaller + smaller_sums.x;
        sections[at].larger = larger + larger_sums.x;
        sections[at].equal = equal + equal_sums.x;
      }
      equal += equal_sums.y;
    }
    smaller += smaller_sums.y;
    larger += larger_sums.y;
  }
  if (VALUES == 1u) {
    // Each thread reads only what it has written itself.
    for (var i = thread; i < sequence.sections; i += THREADS) {
      let at = sequence.first_section + i;
      sections[at].smaller += sequence.begin;
      sections[at].larger += sequence_end - larger;
      sections[at].equal += sequence.begin + smaller;
    }
  }
  most_smaller = last_thread_key(thread, most_smaller);
  least_larger = first_thread_key(thread, least_larger);
  if (thread == 0u) {
    let others = atomicLoad(&listed[1]) + grid.x;
    place_sequence(0u, sequence.begin, smaller, sequence.least, most_smaller, others);
    place_sequence(1u, sequence_end - larger, larger, least_larger, sequence.most, others);
    let equal_keys = sequence.length - smaller - larger;
    place_settled(2u, sequence.begin + smaller, equal_keys, sequence.pivot, VALUES == 1u);
  }
  workgroupBarrier();
  list_placed(thread, 0u);
  list_placed(thread, 1u);
  list_placed(thread, 2u);
}
