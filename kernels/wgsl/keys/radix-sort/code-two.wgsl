// A code of two words from its words, the low one first; the others are ignored.

fn code_of(low: u32, second: u32, third: u32, fourth: u32) -> Key { return Key(second, low); }
