// Keys alone: what carry-1.wgsl does for values is nothing here.

fn place_value(i: u32, place: u32) {}
fn write_value(i: u32, place: u32) {}
