//! needs: shared/launch
// Frames FASTQ: a record is four lines, and the newline after it becomes NUL, the delimiter of the sort.
//   text, starts[4 * records + 1] (where each line begins, and the end of the last one) -> text, malformed (set to 1 if
//   a record is); one thread per record, workgroups of 256.
//   1. The first line begins with `@`, the third with `+`.
//   2. Sequence and qualities have equal lengths, without the carriage returns at their ends.
// `malformed` is 0 before. A word that changes may also hold the beginning of the next record, which another thread
// reads, so it changes atomically.
// Bytes moved: 20 read for the starts of a record, 7 bytes of its text, and a word written.

struct Immediates { records: u32 }
var<immediate> im: Immediates;

@group(0) @binding(0) var<storage, read> starts: array<u32>;
@group(0) @binding(1) var<storage, read_write> framed: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read_write> malformed: array<u32>;

const NEWLINE = 10u;
const RETURN = 13u;
const PLUS = 43u;
const AT = 64u;

fn byte_at(at: u32) -> u32 {
  return (atomicLoad(&framed[at / 4u]) >> ((at % 4u) * 8u)) & 0xffu;
}

/// The bytes of a line without its newline, and without a carriage return before that.
fn line_bytes(line: u32) -> u32 {
  let begin = starts[line];
  let bytes = starts[line + 1u] - 1u - begin;
  if (bytes == 0u) { return 0u; }
  return bytes - select(0u, 1u, byte_at(begin + bytes - 1u) == RETURN);
}

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) grid: vec3u,
        @builtin(local_invocation_index) thread: u32) {
  let record = workgroup_number(id, grid) * 256u + thread;
  if (record >= im.records) { return; }
  let line = record * 4u;
  let begins = byte_at(starts[line]) == AT && byte_at(starts[line + 2u]) == PLUS;
  if (!begins || line_bytes(line + 1u) != line_bytes(line + 3u)) {
    malformed[0] = 1u;
    return;
  }
  let end = starts[line + 4u] - 1u;
  atomicAnd(&framed[end / 4u], ~(NEWLINE << ((end % 4u) * 8u)));
}
