// A code of four words from its words, the low one first.

fn code_of(low: u32, second: u32, third: u32, fourth: u32) -> Key { return Key(fourth, third, second, low); }
