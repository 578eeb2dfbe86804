//! needs: shared/launch
// Frames FASTA, whose records are lines from one that begins with `>` to the next; the newline after a record becomes
// NUL, the delimiter of the sort. Of other formats of lines, finds those that the sort may not take.
//   text of `bytes` bytes, starts[lines + 1] (where each line begins, and the end of the last one)
//   -> text, found[0] = 1 if a line is refused, found[1] = the end of the last whole record; both are 0 before.
//   One thread per line, workgroups of 256.
//   1. A line is refused if its first bytes, those in `mask`, are `refused`.
//   2. If `mark` is a byte, the first line must begin with it. A record ends where the next line begins with it, and at
//      the end of the text if `is_last`. If `mark` is larger than a byte, no newline changes.
// A word that changes may also hold the beginning of the next line, which another thread reads, so it changes
// atomically. No NUL is mistaken for `mark` or `refused`.
// Bytes moved: 8 read for the starts of a line, up to 5 bytes of text, and a word written for each record.

struct Immediates { lines: u32, bytes: u32, mark: u32, is_last: u32, mask: u32, refused: u32 }
var<immediate> im: Immediates;

@group(0) @binding(0) var<storage, read> starts: array<u32>;
@group(0) @binding(1) var<storage, read_write> framed: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read_write> found: array<atomic<u32>>;

const NEWLINE = 10u;
const LARGEST_BYTE = 255u;

fn byte_at(at: u32) -> u32 {
  return (atomicLoad(&framed[at / 4u]) >> ((at % 4u) * 8u)) & 0xffu;
}

/// Whether the line at `begin` begins with the refused bytes. The text is padded, and a line has at least its newline,
/// so bytes beyond the text never make a difference.
fn is_refused(begin: u32) -> bool {
  var first = 0u;
  for (var i = 0u; i < 4u && ((im.mask >> (i * 8u)) & 0xffu) != 0u; i++) {
    first |= byte_at(begin + i) << (i * 8u);
  }
  return (first & im.mask) == im.refused;
}

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) grid: vec3u,
        @builtin(local_invocation_index) thread: u32) {
  let line = workgroup_number(id, grid) * 256u + thread;
  if (line >= im.lines) { return; }
  if (is_refused(starts[line])) { atomicStore(&found[0], 1u); }
  if (im.mark > LARGEST_BYTE) { return; }
  if (line == 0u && byte_at(0u) != im.mark) { atomicStore(&found[0], 1u); }
  let end = starts[line + 1u];
  var ends_record = im.is_last == 1u;
  if (end < im.bytes) { ends_record = byte_at(end) == im.mark; }
  if (ends_record) {
    atomicAnd(&framed[(end - 1u) / 4u], ~(NEWLINE << (((end - 1u) % 4u) * 8u)));
    atomicMax(&found[1], end);
  }
}
