//! needs: bam/sam-line, bam/sam-tags
// The record of BAM that a line of SAM becomes, byte for byte as kernels/wasm/alignments/sam-record.ts writes it.
// A kernel that includes this file declares text (shared/bytes.wgsl), tables (shared/contig-table.wgsl) and
// fn put(value: u32, bytes: u32), which takes the record's bytes, one to four at once, the lowest first. The bits of
// `value` above them are 0.

/// The bin of a record at `position` that spans `span` bases (SAM specification, section 5.3).
fn bin_of(position: u32, span: u32) -> u32 {
  if (position == NONE) { return 4680u; }
  let last = position + span - 1u;
  var first = 4681u;
  for (var level = 5u; level > 0u; level--) {
    let shift = 29u - 3u * level;
    if ((position >> shift) == (last >> shift)) { return (first + (position >> shift)) & 0xffffu; }
    first -= 1u << (3u * (level - 1u));
  }
  return 0u;
}

/// The 4 bits of a letter of a sequence, in either case.
fn base_code(letter: u32) -> u32 {
  if ((letter & 0xc0u) == 0x40u) {
    // The codes of @AB to Z, and of what follows.
    let codes = vec4u(0x4ffd2e1fu, 0xff3fcffbu, 0x978865ffu, 0xffffffafu);
    return (codes[(letter >> 3u) & 3u] >> ((letter & 7u) * 4u)) & 15u;
  }
  if (letter == EQUALS) { return 0u; }
  // 0 to 3 stand for A, C, G and T.
  return select(15u, 1u << (letter - ZERO), letter - ZERO < 4u);
}

fn put_operations(line: Alignment) {
  var at = line.cigar;
  for (var i = 0u; i < line.operations; i++) {
    let number = read_whole(at);
    put((number.size << 4u) | operation_code(byte_at(number.end)), 4u);
    at = number.end + 1u;
  }
}

/// Two bases to a byte, the first in the upper half.
fn put_sequence(line: Alignment) {
  for (var i = 0u; i < line.bases; i += 2u) {
    var codes = base_code(byte_at(line.sequence + i)) << 4u;
    if (i + 1u < line.bases) { codes |= base_code(byte_at(line.sequence + i + 1u)); }
    put(codes, 1u);
  }
}

fn put_qualities(line: Alignment) {
  for (var i = 0u; i < line.bases; i++) {
    if (line.qualities == 0u) {
      put(255u, 1u);
    } else {
      let quality = byte_at(line.qualities + i) - 33u;
      if (quality > 127u) { fail(MALFORMED); }
      put(quality & 127u, 1u);
    }
  }
}

/// Puts the record of a line without a problem. `bytes`: its bytes, those of its length included.
fn put_record(line: Alignment, bytes: u32) {
  let name_bytes = line.name_end - line.name;
  // The fixed fields.
  var words = array<u32, 9>(
    bytes - 4u,
    line.contig,
    line.position,
    (name_bytes + 1u) | (line.quality << 8u) | (bin_of(line.position, line.span) << 16u),
    line.operations | (line.flag << 16u),
    line.bases,
    line.mate,
    line.mate_position,
    line.template_length,
  );
  for (var i = 0u; i < 9u; i++) { put(words[i], 4u); }
  put_text(line.name, line.name_end);
  put(0u, 1u);
  put_operations(line);
  put_sequence(line);
  put_qualities(line);
  put_tags(line.tags, line.end);
}
