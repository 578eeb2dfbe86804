// The key half way between two keys of one word.

/// (a + b) / 2, rounded down; of two different codes it is less than the larger.
fn key_average(a: Key, b: Key) -> Key { return (a & b) + ((a ^ b) >> 1u); }
