//! needs: key-{KEY_WORDS}
// What the diagonal searches of merge passes over fixed keys share: which pair of runs an output tile belongs to, and the
// comparison that a search makes. Runs to be merged lie side by side: A = [begin, middle), B = [middle, end).

struct Immediates { n: u32, tiles: u32, tile: u32, width: u32, pair_base: u32, pair_count: u32 }
var<immediate> im: Immediates;

@group(0) @binding(0) var<storage, read> keys: array<Key>;
@group(0) @binding(1) var<storage, read> pairs: array<vec4u>;
@group(0) @binding(2) var<storage, read_write> parts: array<vec4u>;

/// (first tile, begin, middle, end) of the pair of runs that a tile belongs to: by arithmetic where all runs are `width` long (the
/// last may be shorter), else (width = 0) by binary search in pairs[pair_base .. + pair_count).
fn pair_of(tile: u32) -> vec4u {
  if (im.width != 0u) {
    let pair_tiles = (2u * im.width + im.tile - 1u) / im.tile;
    let pair = tile / pair_tiles;
    let begin = pair * 2u * im.width;
    return vec4u(pair * pair_tiles, begin, min(begin + im.width, im.n), min(begin + 2u * im.width, im.n));
  }
  var low = 0u;
  var high = im.pair_count - 1u;
  while (low < high) {
    let middle = (low + high + 1u) >> 1u;
    if (pairs[im.pair_base + middle].x <= tile) { low = middle; } else { high = middle - 1u; }
  }
  return pairs[im.pair_base + low];
}

/// The least and the most that the first `diagonal` outputs of a pair may have from A.
fn diagonal_range(pair: vec4u, diagonal: u32) -> vec2u {
  let b_count = pair.w - pair.z;
  return vec2u(select(0u, diagonal - b_count, diagonal > b_count), min(diagonal, pair.z - pair.y));
}

/// Whether the first `diagonal` outputs of a pair have more than `from_a` from A. True for the small numbers, then false.
fn more_from_a(pair: vec4u, diagonal: u32, from_a: u32) -> bool {
  return !key_before(encode_key(keys[pair.z + diagonal - 1u - from_a]), encode_key(keys[pair.y + from_a]));
}

/// Notes where a tile's inputs begin: (first of A, first of B, middle, end).
fn put_part(tile: u32, pair: vec4u, diagonal: u32, from_a: u32) {
  parts[tile] = vec4u(pair.y + from_a, pair.z + diagonal - from_a, pair.z, pair.w);
}
