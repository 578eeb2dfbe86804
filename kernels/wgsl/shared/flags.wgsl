// The FLAG of an alignment (SAM specification, section 1.4).

/// 0: forward, 1: reverse.
fn strand_of(flag: u32) -> u32 {
  return (flag >> 4u) & 1u;
}

/// What orders the records of a template: first and second, secondary, supplementary.
fn template_marks(flag: u32) -> u32 {
  return (((flag >> 6u) & 3u) << 2u) | (((flag >> 8u) & 1u) << 1u) | ((flag >> 11u) & 1u);
}
