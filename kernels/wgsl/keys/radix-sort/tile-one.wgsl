// TILE codes of one word in workgroup memory. A kernel that includes this file declares const TILE.

var<workgroup> tile_words: array<u32, TILE>;

fn put_code(i: u32, code: Key) { tile_words[i] = code; }
fn tile_code(i: u32) -> Key { return tile_words[i]; }
