//! needs: shared/launch, bam/sam-record
// SAM to BAM, step 1: the bytes of the records that lines become.
//   text, line_starts[lines + 1] (the first line begins at `begin` instead), tables (of contigs) -> sizes[lines]; the
//   same in starts, to be scanned; problems (bits of sam-line.wgsl, 0 before). One thread per line, workgroups of 64.
// Bytes moved per line: 4 and the line read, once for its columns and once for its record; 8 written.

struct Immediates { lines: u32, begin: u32 }
var<immediate> im: Immediates;

@group(0) @binding(0) var<storage, read> text: array<u32>;
@group(0) @binding(1) var<storage, read> line_starts: array<u32>;
@group(0) @binding(2) var<storage, read> tables: array<u32>;
@group(0) @binding(3) var<storage, read_write> sizes: array<u32>;
@group(0) @binding(4) var<storage, read_write> starts: array<u32>;
@group(0) @binding(5) var<storage, read_write> problems: atomic<u32>;

var<private> record_bytes: u32 = 0u;

fn put(value: u32, bytes: u32) { record_bytes += bytes; }

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) grid: vec3u,
        @builtin(local_invocation_index) thread: u32) {
  let i = workgroup_number(id, grid) * 64u + thread;
  if (i >= im.lines) { return; }
  let begin = select(line_starts[i], im.begin, i == 0u);
  let line = read_alignment(begin, line_stop(begin, line_starts[i + 1u]));
  if (problem == 0u) { put_record(line, 0u); }
  if (problem != 0u) { atomicOr(&problems, problem); }
  sizes[i] = record_bytes;
  starts[i] = record_bytes;
}
