// TILE codes of four words in workgroup memory, one array per word, so that neighbors are in different banks.
// A kernel that includes this file declares const TILE.

var<workgroup> tile_words: array<u32, 4u * TILE>;

fn put_code(i: u32, code: Key) {
  tile_words[i] = code.x;
  tile_words[TILE + i] = code.y;
  tile_words[2u * TILE + i] = code.z;
  tile_words[3u * TILE + i] = code.w;
}

fn tile_code(i: u32) -> Key {
  return Key(tile_words[i], tile_words[TILE + i], tile_words[2u * TILE + i], tile_words[3u * TILE + i]);
}
