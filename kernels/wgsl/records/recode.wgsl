//! needs: shared/launch, shared/bytes
// Encodes or decodes fixed records with typed keys (src/keys/record-encoding.ts): moves bytes, complements some.
//   text[source .. source + bytes), a multiple of RECORD_SIZE; table (below) -> recoded[bytes]; one thread per word of
//   the result, in tiles of 1,024 words per workgroup of 256.
//   1. The thread finds the piece of the record that its next byte belongs to by binary search. Most encodings have one
//      to three pieces.
//   2. Up to four bytes of a piece are one unaligned read; a word that spans pieces or records is one read for each.
//   3. Bytes of a piece are complemented as it says, and if the number whose sign it names is negative.
// Bytes moved: 1 read and 1 written per byte.

override RECORD_SIZE: u32 = 4u;

struct Immediates { source: u32, bytes: u32, pieces: u32 }
var<immediate> im: Immediates;

@group(0) @binding(0) var<storage, read> text: array<u32>;
// Two rows per piece, in order of place; they cover the record:
//   (to: its first byte in the result, from: the byte of the text that becomes it, place in the piece of the byte with
//   complement `first`, row of its sign or NONE)
//   (complement of the other bytes, in each byte of a word; that complement ^ first; 1: the bytes before `from` follow)
// then the rows of signs: (byte of the text with the sign in its top bit; 1: it is complemented; row of another sign
// that complements it as well, or NONE).
@group(0) @binding(1) var<storage, read> table: array<vec4u>;
@group(0) @binding(2) var<storage, read_write> recoded: array<u32>;

const WORDS = 4u;  // per thread
const NONE = 0xffffffffu;

/// Whether the number is negative whose sign is in this row, in the record that begins at `record`.
fn is_negative(row: u32, record: u32) -> bool {
  var next = row;
  var parity = 0u;
  while (next != NONE) {
    let sign = table[next];
    parity ^= ((text_little(record + sign.x) >> 7u) & 1u) ^ sign.y;
    next = sign.z;
  }
  return parity != 0u;
}

/// `count` bytes of the result from byte `at` of a record, all in the piece of row `row`; anything above them.
fn piece_bytes(row: u32, record: u32, at: u32, count: u32) -> u32 {
  let piece = table[row];
  let how = table[row + 1u];
  let first = at - piece.x;
  var word: u32;
  if (how.z == 0u) {
    word = text_little(record + piece.y + first);
  } else {
    word = text_little(record + piece.y - first - count + 1u);
    word = reversed_bytes(word) >> ((4u - count) * 8u);
  }
  word ^= how.x;
  let special = piece.z - first;
  if (special < count) { word ^= how.y << (special * 8u); }
  if (piece.w != NONE && is_negative(piece.w, record)) {
    word = ~word;
    // The sign itself is not complemented. It may belong to this piece.
    let place = table[piece.w].x;
    let sign = select(place - piece.y, piece.y - place, how.z != 0u) - first;
    if (sign < count) { word ^= 0x80u << (sign * 8u); }
  }
  return word;
}

/// The row of the piece with byte `at` of a record.
fn piece_of(at: u32) -> u32 {
  var low = 0u;
  var high = im.pieces;
  while (high - low > 1u) {
    let middle = (low + high) >> 1u;
    if (table[middle * 2u].x <= at) { low = middle; } else { high = middle; }
  }
  return low;
}

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) grid: vec3u,
        @builtin(local_invocation_index) thread: u32) {
  let first = workgroup_number(id, grid) * (256u * WORDS) + thread;
  for (var i = 0u; i < WORDS; i++) {
    let byte = (first + i * 256u) * 4u;
    if (byte >= im.bytes) { return; }
    var word = 0u;
    var filled = 0u;
    while (filled < 4u && byte + filled < im.bytes) {
      let at = (byte + filled) % RECORD_SIZE;
      let piece = piece_of(at);
      var end = RECORD_SIZE;
      if (piece + 1u < im.pieces) { end = table[(piece + 1u) * 2u].x; }
      let count = min(4u - filled, end - at);
      let bytes = piece_bytes(piece * 2u, im.source + byte + filled - at, at, count);
      word |= low_bytes(bytes, count) << (filled * 8u);
      filled += count;
    }
    recoded[byte / 4u] = word;
  }
}
