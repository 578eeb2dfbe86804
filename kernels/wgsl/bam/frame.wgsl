//! needs: shared/launch, bam/record
// Finds the records of BAM that begin in each BGZF block of a text.
//   text, places[blocks] (z: the block's first byte in the text, w: the byte after it), entries[blocks] (the first
//   record of the block, or UNKNOWN) -> frames[blocks] (the first record; where the first record after the block
//   begins, or the record in it that the text does not hold whole; the records from the one to the other; whether one
//   of them is malformed); one thread per block, for blocks first to first + blocks, workgroups of 64.
//   1. Where the first record is unknown, it is guessed: the first place from which SURE_RECORDS records follow one
//      another, or as many as there are up to the end of the text. A record of the block before may end anywhere.
//   2. From there, each record's length leads to the next.
// The host checks that the records of a block lead to the first record of the next, and asks again where they do not.

struct Immediates { first: u32, blocks: u32, end: u32, references: u32 }
var<immediate> im: Immediates;

@group(0) @binding(0) var<storage, read> text: array<u32>;
@group(0) @binding(1) var<storage, read> places: array<vec4u>;
@group(0) @binding(2) var<storage, read> entries: array<u32>;
@group(0) @binding(3) var<storage, read_write> frames: array<vec4u>;

const UNKNOWN = 0xffffffffu;
const SURE_RECORDS = 8u;

/// Whether records follow one another from `begin` on.
fn begins_records(begin: u32) -> bool {
  var at = begin;
  for (var records = 0u; records < SURE_RECORDS; records++) {
    if (im.end - at < FIXED_BYTES) { return records > 0u; }
    let bytes = record_bytes(at, im.references);
    if (bytes == 0u) { return false; }
    if (bytes > im.end - at) { return records > 0u; }
    at += bytes;
  }
  return true;
}

/// Where the first record in [begin, end) probably begins; `end` if none does.
fn guess(begin: u32, end: u32) -> u32 {
  for (var at = begin; at < end; at++) {
    if (begins_records(at)) { return at; }
  }
  return end;
}

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) grid: vec3u,
        @builtin(local_invocation_index) thread: u32) {
  let i = workgroup_number(id, grid) * 64u + thread;
  if (i >= im.blocks) { return; }
  let block = im.first + i;
  let end = places[block].w;
  var entry = entries[block];
  if (entry == UNKNOWN) { entry = guess(places[block].z, end); }
  var at = entry;
  var records = 0u;
  var malformed = 0u;
  while (at < end && im.end - at >= FIXED_BYTES) {
    let bytes = record_bytes(at, im.references);
    if (bytes == 0u) {
      malformed = 1u;
      break;
    }
    if (bytes > im.end - at) { break; }
    at += bytes;
    records++;
  }
  frames[block] = vec4u(entry, at, records, malformed);
}
