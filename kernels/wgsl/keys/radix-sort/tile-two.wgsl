// TILE codes of two words in workgroup memory. All first words come before all second words, so that neighbors are in
// different banks. A kernel that includes this file declares const TILE.

var<workgroup> tile_words: array<u32, 2u * TILE>;

fn put_code(i: u32, code: Key) {
  tile_words[i] = code.x;
  tile_words[TILE + i] = code.y;
}

fn tile_code(i: u32) -> Key { return Key(tile_words[i], tile_words[TILE + i]); }
