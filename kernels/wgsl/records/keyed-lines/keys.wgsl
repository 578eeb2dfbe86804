//! needs: shared/launch, shared/key-words, records/keyed-lines/key-rows, records/keyed-lines/key-places
// Keyed lines, step 2: headers and keys.
//   text, starts[n + 1], parts, tables, out_starts[n + 1] (lengths.wgsl, scanned) -> keys: the header and the key of
//   each line, from word key_word(i). Lines `first` to before `last` of the n; one thread per line, workgroups of 256.
// Each thread goes through its line's parts again and writes four bytes at a time.
// Bytes moved per line: those of step 1 and 8 more read, 4 and the key written.

struct Immediates { first: u32, last: u32, parts: u32 }
var<immediate> im: Immediates;

@group(0) @binding(0) var<storage, read> text: array<u32>;
@group(0) @binding(1) var<storage, read> starts: array<u32>;
@group(0) @binding(2) var<storage, read> parts: array<Part>;
@group(0) @binding(3) var<storage, read> tables: array<u32>;
@group(0) @binding(4) var<storage, read> out_starts: array<u32>;
@group(0) @binding(5) var<storage, read_write> keys: array<u32>;

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) grid: vec3u,
        @builtin(local_invocation_index) thread: u32) {
  let i = im.first + workgroup_number(id, grid) * 256u + thread;
  if (i >= im.last) { return; }
  let begin = starts[i];
  let end = starts[i + 1u];
  place = key_word(i, begin - starts[0], out_starts[i]);
  put_length(out_starts[i + 1u] - out_starts[i] - (end - begin) - HEADER);
  _ = put_rows(begin, end - 1u, im.parts);
  if (filled != 0u) { keys[place] = word; }
}
