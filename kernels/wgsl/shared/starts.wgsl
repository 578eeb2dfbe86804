// Where records begin in the text. A kernel that includes this file declares, at any binding,
//   var<storage, read> starts: array<u32>;    record i: bytes [starts[i], starts[i + 1]); not read if RECORD_SIZE != 0

override RECORD_SIZE: u32 = 0u;  // of all records; 0: each has its own

/// The first byte of record i. That of the record after the last one is where the records end.
fn record_start(i: u32) -> u32 {
  if (RECORD_SIZE != 0u) { return i * RECORD_SIZE; }
  return starts[i];
}
