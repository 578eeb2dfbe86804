/** Turns symbols of 16 bits into bytes once the text before them is known. */

/** Replaces each of `count` symbols at `symbols` by the byte that `table` has for it. */
export function resolve(symbols: usize, count: u32, table: usize, to: usize): void {
  const end = symbols + (count << 1);
  // Four at a time; the text has room for the rest of the last four.
  for (; symbols < end; symbols += 8, to += 4) {
    const four = load<u64>(symbols);
    store<u32>(to,
      <u32>load<u8>(table + (<usize>four & 0xffff)) |
      (<u32>load<u8>(table + (<usize>(four >> 16) & 0xffff)) << 8) |
      (<u32>load<u8>(table + (<usize>(four >> 32) & 0xffff)) << 16) |
      (<u32>load<u8>(table + <usize>(four >> 48)) << 24));
  }
}
