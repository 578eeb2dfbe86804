// Random words by position: the same on every device.

/// A bijection of words that leaves no trace of its argument's order (C. Wellons, "lowbias32", public domain).
fn scramble(word: u32) -> u32 {
  var x = word;
  x = (x ^ (x >> 16u)) * 0x7feb352du;
  x = (x ^ (x >> 15u)) * 0x846ca68bu;
  return x ^ (x >> 16u);
}

/// Word i of a stream. No bijection: as with any draws, some come more than once.
fn random_word(i: u32, stream: u32) -> u32 {
  let seed = scramble(stream + 0x9e3779b9u);
  return scramble(scramble(i ^ seed) + seed) + scramble(i * 0x9e3779b1u + seed);
}
