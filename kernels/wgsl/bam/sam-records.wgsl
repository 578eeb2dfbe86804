//! needs: shared/launch, bam/sam-record
// SAM to BAM, step 2: writes the records of lines, in which step 1 found no problem.
//   text, line_starts[lines + 1] (the first line begins at `begin` instead), tables (of contigs), starts[lines + 1]
//   (the sizes of step 1, scanned) -> records; one thread per line, workgroups of 64.
//   Two records may share a word. So `records` is 0 before, and the first and last words are added to it.
// Bytes moved per line: 8 and the line read, as in step 1; the record written.

struct Immediates { lines: u32, begin: u32 }
var<immediate> im: Immediates;

@group(0) @binding(0) var<storage, read> text: array<u32>;
@group(0) @binding(1) var<storage, read> line_starts: array<u32>;
@group(0) @binding(2) var<storage, read> tables: array<u32>;
@group(0) @binding(3) var<storage, read> starts: array<u32>;
@group(0) @binding(4) var<storage, read_write> records: array<atomic<u32>>;

var<private> place: u32;               // the word being filled
var<private> filled: u32;              // its bytes so far
var<private> word: u32 = 0u;
var<private> is_shared: bool = true;   // whether another record may fill a part of it

/// Takes one to four bytes of a record. WGSL does not shift by all 32 bits; `select` gives 0 in that case.
fn put(value: u32, bytes: u32) {
  word |= value << (filled * 8u);
  if (filled + bytes < 4u) {
    filled += bytes;
    return;
  }
  if (is_shared) { atomicOr(&records[place], word); } else { atomicStore(&records[place], word); }
  is_shared = false;
  place++;
  let taken = 4u - filled;
  filled = bytes - taken;
  word = select(0u, value >> (taken * 8u), filled > 0u);
}

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) grid: vec3u,
        @builtin(local_invocation_index) thread: u32) {
  let i = workgroup_number(id, grid) * 64u + thread;
  if (i >= im.lines) { return; }
  let begin = select(line_starts[i], im.begin, i == 0u);
  let line = read_alignment(begin, line_stop(begin, line_starts[i + 1u]));
  place = starts[i] / 4u;
  filled = starts[i] % 4u;
  put_record(line, starts[i + 1u] - starts[i]);
  if (filled > 0u) { atomicOr(&records[place], word); }
}
