// Where keys are stored before they are put in front of their lines: one after the other, each at a word boundary.
// No table is needed: `out - line` is the bytes of all headers and keys before line i, and rounding each of them
// up to words takes at most one more word per line.

/// The first word of the key of line i. The line begins `line` bytes after the first line, its keyed line at byte `out`
/// of the result.
fn key_word(i: u32, line: u32, out: u32) -> u32 {
  return ((out - line) >> 2u) + i;
}
