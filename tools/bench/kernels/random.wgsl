// Random words by position: the same on every device.

/// Hashes a word, one to one (C. Wellons, "lowbias32", public domain).
fn scramble(word: u32) -> u32 {
  var x = word;
  x = (x ^ (x >> 16u)) * 0x7feb352du;
  x = (x ^ (x >> 15u)) * 0x846ca68bu;
  return x ^ (x >> 16u);
}

/// Word i of a stream. Not one to one: some words occur more than once, as in any random draw.
fn random_word(i: u32, stream: u32) -> u32 {
  let seed = scramble(stream + 0x9e3779b9u);
  return scramble(scramble(i ^ seed) + seed) + scramble(i * 0x9e3779b1u + seed);
}
