// Counts, by tile, the comparisons that read the text: statistics of a sort (Davidson et al. 2012, figure 8a). Keys are
// not grouped: the counts take the binding of the groups' depths,
// because merges bind all eight buffers WebGPU promises.

@group(0) @binding(2) var<storage, read_write> text_reads: array<u32>;  // such comparisons, by tile

var<private> reads_of_thread: u32 = 0u;

/// Where keys begin in the ordered bytes.
fn key_depth(high: u32) -> u32 { return im.depth; }

fn count_text_read() { reads_of_thread++; }
fn thread_text_reads() -> u32 { return reads_of_thread; }
/// One thread per tile calls it.
fn set_text_reads(tile: u32, count: u32) { text_reads[tile] = count; }
/// One thread per tile calls it.
fn add_text_reads(tile: u32, count: u32) { text_reads[tile] += count; }
