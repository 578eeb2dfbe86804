// Comparisons that read the text are counted, by tile: the statistics of a sort (Davidson et al. 2012, figure 8a). Keys are not
// grouped: the counts have the place of the groups' depths, as merges bind all of the eight buffers that WebGPU promises.

@group(0) @binding(2) var<storage, read_write> text_reads: array<u32>;  // how many such comparisons made each tile

var<private> reads_of_thread: u32 = 0u;

/// Where in the ordered bytes keys begin.
fn key_depth(high: u32) -> u32 { return im.depth; }

fn count_text_read() { reads_of_thread++; }
fn thread_text_reads() -> u32 { return reads_of_thread; }
/// Called by one thread a tile.
fn set_text_reads(tile: u32, count: u32) { text_reads[tile] = count; }
/// Called by one thread a tile.
fn add_text_reads(tile: u32, count: u32) { text_reads[tile] += count; }
