// The average of two keys of one word.

/// (a + b) / 2, rounded down; less than the larger of two different codes.
fn key_average(a: Key, b: Key) -> Key { return (a & b) + ((a ^ b) >> 1u); }
