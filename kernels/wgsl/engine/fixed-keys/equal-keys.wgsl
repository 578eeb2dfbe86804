// Compares neighboring keys. A kernel that includes this file declares
//   var<storage, read> keys: array<u32>;      KEY_WORDS words each
//   im.n                                      the number of keys

/// Whether key i is there and equals the one before it.
fn equals_before(i: u32) -> bool {
  if (i == 0u || i >= im.n) { return false; }
  for (var w = 0u; w < KEY_WORDS; w++) {
    if (keys[i * KEY_WORDS + w] != keys[(i - 1u) * KEY_WORDS + w]) { return false; }
  }
  return true;
}
