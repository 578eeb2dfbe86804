// Keys of fixed records: KEY_WORDS words each, the lowest first, which hold KEY_BYTES bytes of the record, the most
// significant first, then zeros; all complemented if REVERSE. These are the bytes of the record's key, then, if there
// are more, its other bytes in their order: last-resort comparisons need nothing else.

override RECORD_SIZE: u32 = 4u;
override KEY_OFFSET: u32 = 0u;   // of the record's key in the record
override KEY_LENGTH: u32 = 4u;   // of the record's key
override KEY_BYTES: u32 = 4u;    // KEY_LENGTH, or RECORD_SIZE
override REVERSE: bool = false;

/// The place among the key's bytes, then the others, of byte `at` of a record.
fn place_in_key(at: u32) -> u32 {
  if (at < KEY_OFFSET) { return KEY_LENGTH + at; }
  return select(at, at - KEY_OFFSET, at < KEY_OFFSET + KEY_LENGTH);
}

/// The byte of a record at place `place` among the key's bytes, then the others.
fn place_in_record(place: u32) -> u32 {
  if (place < KEY_LENGTH) { return KEY_OFFSET + place; }
  return select(place, place - KEY_LENGTH, place < KEY_LENGTH + KEY_OFFSET);
}

/// The word of a key buffer with word `word` of key `i`, counted from the most significant one.
fn key_word_place(i: u32, word: u32) -> u32 { return i * KEY_WORDS + (KEY_WORDS - 1u - word); }
