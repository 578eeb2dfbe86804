// Writes keys byte by byte, in whole words: set `place` first, and write the last word, if it is not full, afterwards.
// A kernel that includes this file declares, at any binding,
//   var<storage, read_write> keys: array<u32>;

var<private> place: u32;       // the word being filled
var<private> filled: u32 = 0u; // its bytes so far
var<private> word: u32 = 0u;

fn put_byte(byte: u32) {
  word |= byte << (filled * 8u);
  filled++;
  if (filled == 4u) {
    keys[place] = word;
    place++;
    filled = 0u;
    word = 0u;
  }
}
