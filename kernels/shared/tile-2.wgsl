// TILE codes of two words in workgroup memory, each word's side by side, so that neighbours fall into different banks.
// A kernel that needs this declares const TILE.

var<workgroup> tile_words: array<u32, 2u * TILE>;

fn put_code(i: u32, code: Key) {
  tile_words[i] = code.x;
  tile_words[TILE + i] = code.y;
}

fn tile_code(i: u32) -> Key { return Key(tile_words[i], tile_words[TILE + i]); }
