// Quicksort's work lists in device memory. Needs key-{KEY_WORDS}; keys in them are codes.
// Listed: [0] pieces, [1] sequences among them. Counts are six words an iteration, those of every other one in a buffer: how many
// sequences and sections, each with the ones that an indirect launch needs, too. (A launch cannot write the buffer that its size is in.)

/// A sequence that several workgroups partition, each a section of it.
struct Sequence {
  begin: u32,
  length: u32,
  first_section: u32,
  sections: u32,
  least: Key,  // of its keys: the pivot is their average
  most: Key,
}

/// What a workgroup found in its section: counts, which for pairs become the places to which it moves its elements.
struct Section {
  smaller: u32,
  larger: u32,
  equal: u32,
  most_smaller: Key,  // where there are any
  least_larger: Key,
}

/// Work for one workgroup of phase two: a sequence on side 0 or 1, or settled elements that are not yet in their places on side 0.
struct Piece {
  begin: u32,
  length: u32,
  side: u32,
  settled: u32,
  key: Key,  // of settled elements
}
