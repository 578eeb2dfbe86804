//! needs: shared/bytes
// Tables of contigs (src/engines/gpu/records/contig-table.ts): the number of names, the digits of a key, the slots
// less 1; the slots; the names, each at a word boundary, with zeros after it. Names are found by open addressing.
// A slot: the rank plus 1, or 0 if it is empty; the bytes of the name; the word of the table at which it begins.
// A file that includes this one declares text (shared/bytes.wgsl) and, at any binding,
//   var<storage, read> tables: array<u32>;

const COUNT = 0u;
const DIGITS = 1u;
const MASK = 2u;
const SLOTS = 3u;
const SLOT_WORDS = 3u;
const MULTIPLIER = 0x9e3779b1u;

/// Four bytes of a name from `at`, with zeros after its end.
fn name_word(at: u32, end: u32) -> u32 {
  return low_bytes(text_little(at), min(4u, end - at));
}

fn name_hash(begin: u32, end: u32) -> u32 {
  var hash = end - begin;
  for (var at = begin; at < end; at += 4u) {
    hash = (hash ^ name_word(at, end)) * MULTIPLIER;
    hash ^= hash >> 15u;
  }
  return hash;
}

/// Whether the name at word `word` of tables is [begin, end), of the same length.
fn is_name(word: u32, begin: u32, end: u32) -> bool {
  var i = word;
  for (var at = begin; at < end; at += 4u) {
    if (tables[i] != name_word(at, end)) { return false; }
    i++;
  }
  return true;
}

/// The rank of the name [begin, end) in the table at word `table` of tables; the number of names if it is not there.
fn contig_rank(begin: u32, end: u32, table: u32) -> u32 {
  let mask = tables[table + MASK];
  var i = name_hash(begin, end) & mask;
  loop {
    let slot = table + SLOTS + SLOT_WORDS * i;
    let found = tables[slot];
    if (found == 0u) { return tables[table + COUNT]; }
    if (tables[slot + 1u] == end - begin && is_name(table + tables[slot + 2u], begin, end)) { return found - 1u; }
    i = (i + 1u) & mask;
  }
}
