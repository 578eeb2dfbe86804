/** Finds and checks the records of BAM (SAM specification, section 4.2) in a text that may begin inside a record. */

/** Bytes of a record up to its name, its length included. */
const FIXED_BYTES: u32 = 36;
/** The least length that a record may have, itself not included, and the most. */
const LEAST_LENGTH: u32 = 32;
const MOST_LENGTH: u32 = 0x7fffffff;
/** -1, no reference or no position, becomes 0 when 1 is added. */
const NONE: u32 = -1;
/** This many records in a row are no coincidence. */
const SURE_RECORDS: u32 = 8;

/** After checkRecords: whether the next record is malformed, and whether one has a reference and no position. */
let malformed: bool = false;
let unplaced: bool = false;
export function isMalformed(): bool { return malformed; }
export function hasUnplaced(): bool { return unplaced; }

/**
 * The bytes of the record at `at`, whose first FIXED_BYTES can be read; 0 if none is there. A record is known by its
 * length, its references, and its name, which has at least its final NUL.
 */
// @ts-ignore: decorator
@inline
function recordBytes(at: u32, references: u32): u32 {
  const length = load<u32>(at);
  if (length < LEAST_LENGTH || length > MOST_LENGTH || load<u8>(at, 12) == 0) return 0;
  return load<u32>(at, 4) + 1 > references || load<u32>(at, 24) + 1 > references ? 0 : length + 4;
}

/** Whether records follow one another from `at` on, in text up to `end`. */
function beginsRecords(at: u32, end: u32, references: u32): bool {
  for (let records: u32 = 0; records < SURE_RECORDS; records++) {
    if (end - at < FIXED_BYTES) return records > 0;
    const bytes = recordBytes(at, references);
    if (bytes == 0) return false;
    if (bytes > end - at) return records > 0;
    at += bytes;
  }
  return true;
}

/** Where the first record of the text [from, end) probably begins; `end` if none does. */
export function findFirstRecord(from: u32, end: u32, references: u32): f64 {
  for (let at = from; at < end; at++) if (beginsRecords(at, end, references)) return <f64>at;
  return <f64>end;
}

/** Whether name, CIGAR, bases and qualities fit into the record at `at`. */
// @ts-ignore: decorator
@inline
function fits(at: u32, bytes: u32): bool {
  const bases = <u64>load<u32>(at, 20);
  return FIXED_BYTES + <u64>load<u8>(at, 12) + 4 * <u64>load<u16>(at, 16) + ((bases + 1) >> 1) + bases <= bytes;
}

/**
 * Where the first record of [from, end) begins that begins at `stop` or later, or that the text does not hold whole, or
 * that is malformed. `from` begins a record.
 */
export function checkRecords(from: u32, stop: u32, end: u32, references: u32): f64 {
  malformed = unplaced = false;
  let at = from;
  while (at < stop && end - at >= FIXED_BYTES) {
    const bytes = recordBytes(at, references);
    if (bytes == 0 || !fits(at, bytes)) {
      malformed = true;
      break;
    }
    if (bytes > end - at) break;
    if (load<u32>(at, 8) == NONE && load<u32>(at, 4) != NONE) unplaced = true;
    at += bytes;
  }
  return <f64>at;
}
