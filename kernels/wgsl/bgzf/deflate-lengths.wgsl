// Compares two places of a text.
// A kernel that includes this file declares, at any binding,
//   var<storage, read> text: array<u32>;

const SHORTEST_MATCH = 4u;
const LONGEST_MATCH = 258u;
const WINDOW = 32768u;  // the largest distance

/// 4 bytes from `shift` bits (0 to 24) of `low` on; `high` follows it.
fn funnel(low: u32, high: u32, shift: u32) -> u32 {
  return (low >> shift) | ((high << 1u) << (31u - shift));
}

/// The common bytes of the texts at two addresses, of which SHORTEST_MATCH are known; `most` at most.
fn match_length(at: u32, earlier: u32, most: u32) -> u32 {
  let shift = (at & 3u) * 8u;
  let earlier_shift = (earlier & 3u) * 8u;
  var word = (at >> 2u) + 1u;
  var earlier_word = (earlier >> 2u) + 1u;
  var low = text[word];
  var earlier_low = text[earlier_word];
  for (var length = SHORTEST_MATCH; length < most; length += 8u) {
    // Four reads at once; a match is often longer than 8 bytes.
    let middle = text[word + 1u];
    let earlier_middle = text[earlier_word + 1u];
    let high = text[word + 2u];
    let earlier_high = text[earlier_word + 2u];
    let first = funnel(low, middle, shift) ^ funnel(earlier_low, earlier_middle, earlier_shift);
    if (first != 0u) { return min(length + (countTrailingZeros(first) >> 3u), most); }
    let second = funnel(middle, high, shift) ^ funnel(earlier_middle, earlier_high, earlier_shift);
    if (second != 0u) { return min(length + 4u + (countTrailingZeros(second) >> 3u), most); }
    low = high;
    earlier_low = earlier_high;
    word += 2u;
    earlier_word += 2u;
  }
  return most;
}
