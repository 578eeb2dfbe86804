// Where keys are stored before they are put in front of their lines: one after the other, each at a word boundary.
// No table is needed: `out - line` is the bytes of all headers and keys before line i, and rounding each of them
// up to words takes at most one more word a line.

/// The first word of the key of line i. `line`: where the line begins in the text; `out`: where its keyed line will
/// begin.
fn key_word(i: u32, line: u32, out: u32) -> u32 {
  return ((out - line) >> 2u) + i;
}
