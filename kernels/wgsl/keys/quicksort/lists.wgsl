// Quicksort's work lists in device memory. Needs key-{KEY_WORDS}; keys in the lists are codes.
// listed: [0] pieces, [1] sequences among them. counts: six words per iteration, even and odd iterations in separate
// buffers: the number of sequences and of sections, each followed by the other two words of an indirect dispatch.
// (A dispatch cannot write the buffer that holds its size.)

/// A sequence that several workgroups partition, one section each.
struct Sequence {
  begin: u32,
  length: u32,
  first_section: u32,
  sections: u32,
  least: Key,
  most: Key,
  pivot: Key,  // from the least to the greatest key; if they differ, their average
}

/// The counts that a workgroup found in its section. For pairs they become the positions it moves its elements to.
struct Section {
  smaller: u32,
  larger: u32,
  equal: u32,
  most_smaller: Key,  // undefined if there are none
  least_larger: Key,
}

/// Work for one workgroup of phase two: a sequence on side 0 or 1, or settled elements not yet in place on side 0.
struct Piece {
  begin: u32,
  length: u32,
  side: u32,
  settled: u32,
  key: Key,  // the key of settled elements
}
