//! needs: shared/bytes
// Records of BAM (SAM specification, section 4.2). A kernel that includes this file declares, at any binding,
//   var<storage, read> text: array<u32>;

/// Bytes of a record up to its name, its length included.
const FIXED_BYTES = 36u;
/// The least length that a record may have, itself not included.
const LEAST_LENGTH = 32u;
const NO_REFERENCE = 0xffffffffu;

/// Whether the number of a reference is one of `references`, or none.
fn is_reference(id: u32, references: u32) -> bool {
  return id == NO_REFERENCE || id < references;
}

/// The bytes of the record at `at`, its length included; 0 if none is there.
/// A record is known by its length, its references and its name, which has at least its final NUL.
fn record_bytes(at: u32, references: u32) -> u32 {
  let length = text_little(at);
  if (length < LEAST_LENGTH || length > 0x7fffffffu) { return 0u; }
  if (!is_reference(text_little(at + 4u), references)) { return 0u; }
  if (!is_reference(text_little(at + 24u), references)) { return 0u; }
  if ((text_little(at + 12u) & 255u) == 0u) { return 0u; }
  return length + 4u;
}

/// The flags of the record at `at`.
fn record_flag(at: u32) -> u32 {
  return text_little(at + 16u) >> 16u;
}
