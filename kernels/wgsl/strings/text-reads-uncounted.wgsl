// Comparisons are not counted; keys may be grouped (compare.wgsl).

// Where each group's key begins in its ordered bytes; unused if not grouped.
@group(0) @binding(2) var<storage, read> depths: array<u32>;

/// Where the key with this high word begins in the ordered bytes.
fn key_depth(high: u32) -> u32 {
  if (im.grouped == 0u) { return im.depth; }
  return depths[high >> ((im.key_bytes - 4u) * 8u)];
}

fn count_text_read() {}
fn thread_text_reads() -> u32 { return 0u; }
fn set_text_reads(tile: u32, count: u32) {}
fn add_text_reads(tile: u32, count: u32) {}
