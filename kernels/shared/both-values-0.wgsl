// Keys alone: what both-values-1.wgsl does for the value of each key is nothing here, and costs nothing.

fn load_value(side: u32, i: u32) -> u32 { return 0u; }
fn store_value(side: u32, i: u32, value: u32) {}
fn tile_value(i: u32) -> u32 { return 0u; }
fn put_tile_value(i: u32, value: u32) {}
