// A code of one word from its words; the others are ignored.

fn code_of(low: u32, second: u32, third: u32, fourth: u32) -> Key { return low; }
