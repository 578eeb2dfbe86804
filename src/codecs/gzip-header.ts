/** Headers of gzip members (RFC 1952), and the BC field that makes a member a BGZF block (the SAM specification). */

/** Identification, method, flags, time, extra flags and system. */
export const GZIP_FIXED_BYTES = 10;
/** CRC-32 and length of the text, at the end of a member. */
export const GZIP_TRAILER_BYTES = 8;
/** Longest header that is accepted: names and comments have no limit of their own. */
const MOST_HEADER_BYTES = 1 << 20;

const FLAG = { headerCrc: 2, extra: 4, name: 8, comment: 16, reserved: 0xe0 } as const;

/** Whether the bytes in [at, to) may begin a member: they are gzip as far as they go. */
function isMember(bytes: Uint8Array, at: number, to: number): boolean {
  return (
    [0x1f, 0x8b, 8].every((byte, i) => at + i >= to || bytes[at + i] === byte) &&
    (at + 3 >= to || (bytes[at + 3] & FLAG.reserved) === 0)
  );
}

/** The length of the header at `at`; 0: it does not end before `to`; -1: it is not a gzip header. */
export function gzipHeaderBytes(bytes: Uint8Array, at: number, to: number): number {
  if (!isMember(bytes, at, to)) return -1;
  if (at + GZIP_FIXED_BYTES > to) return 0;
  const flags = bytes[at + 3];
  let end = at + GZIP_FIXED_BYTES;
  if ((flags & FLAG.extra) !== 0) {
    if (end + 2 > to) return 0;
    end += 2 + (bytes[end] | (bytes[end + 1] << 8));
  }
  for (const flag of [FLAG.name, FLAG.comment]) {
    if ((flags & flag) === 0) continue;
    const zero = end < to ? bytes.subarray(end, to).indexOf(0) : -1;
    if (zero < 0) return to - at > MOST_HEADER_BYTES ? -1 : 0;
    end += zero + 1;
  }
  if ((flags & FLAG.headerCrc) !== 0) end += 2;
  return end <= to ? end - at : 0;
}

/**
 * The length of the BGZF block at `at`, from the BC field, which may stand anywhere in the extra field. null: its
 * header does not end before `to`; -1: it is not the header of a BGZF block.
 */
export function bgzfBlockBytes(bytes: Uint8Array, at: number, to: number): number | null {
  if (!isMember(bytes, at, to)) return -1;
  if (at + GZIP_FIXED_BYTES > to) return null;
  if ((bytes[at + 3] & FLAG.extra) === 0) return -1;
  const fields = at + GZIP_FIXED_BYTES + 2;
  if (fields > to) return null;
  const end = fields + (bytes[fields - 2] | (bytes[fields - 1] << 8));
  if (end > to) return null;
  for (let field = fields; field + 4 <= end; ) {
    const next = field + 4 + (bytes[field + 2] | (bytes[field + 3] << 8));
    if (bytes[field] === 0x42 && bytes[field + 1] === 0x43 && next === field + 6 && next <= end) {
      const length = (bytes[field + 4] | (bytes[field + 5] << 8)) + 1;
      return length >= end - at + GZIP_TRAILER_BYTES ? length : -1;
    }
    field = next;
  }
  return -1;
}
