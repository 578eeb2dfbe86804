//! needs: keys/key-{KEY_WORDS}, shared/run-pairs
// Bindings and the comparison of the diagonal searches in merge passes over fixed keys.

struct Immediates { n: u32, tiles: u32, tile: u32, width: u32, group_base: u32, group_count: u32 }
var<immediate> im: Immediates;

@group(0) @binding(0) var<storage, read> keys: array<Key>;
@group(0) @binding(1) var<storage, read> groups: array<vec4u>;
@group(0) @binding(2) var<storage, read_write> partitions: array<vec4u>;

fn more_from_a(pair: vec4u, diagonal: u32, from_a: u32) -> bool {
  return !key_before(encode_key(keys[pair.z + diagonal - 1u - from_a]), encode_key(keys[pair.y + from_a]));
}
