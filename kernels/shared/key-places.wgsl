// Where keys lie before they are put in front of their lines: one behind the other, each from a word on. No table is needed: the bytes of all keys and headers before
// one are known from where the keyed line and the line itself begin, and for each of them no more than a word is begun.

/// The first word of the key of line i, which begins `line` bytes behind the first one and whose keyed line begins at `out` of the result.
fn key_word(i: u32, line: u32, out: u32) -> u32 {
  return ((out - line) >> 2u) + i;
}
