/** Classes of bytes in the C locale. */

/** A space, a tab or a newline, as in GNU sort. */
// @ts-ignore: decorator
@inline
export function isBlank(byte: u8): bool { return byte == 32 || byte == 9 || byte == 10; }

// @ts-ignore: decorator
@inline
export function isDigit(byte: u8): bool { return byte - 48 < 10; }

// @ts-ignore: decorator
@inline
export function isLetter(byte: u8): bool { return (byte | 32) - 97 < 26; }

/** Folds a lowercase letter to uppercase; leaves other bytes as they are. */
// @ts-ignore: decorator
@inline
export function upper(byte: u8): u8 { return byte - 97 < 26 ? byte - 32 : byte; }

/** upper() for each of 16 bytes. */
// @ts-ignore: decorator
@inline
export function upperLanes(bytes: v128): v128 {
  const small = i8x16.lt_u(i8x16.sub(bytes, i8x16.splat(97)), i8x16.splat(26));
  return i8x16.sub(bytes, v128.and(small, i8x16.splat(32)));
}

export function isPrinting(byte: u8): bool { return byte - 32 < 95; }
