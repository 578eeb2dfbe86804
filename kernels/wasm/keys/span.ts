/** `span`: the second of two whole numbers, with a tab between them, less the first. The row is that of `signed`. */
import { numberAt, putSigned } from './integer';

const TAB: u8 = 9;

/** Writes the row of [at, end). */
export function putSpan(at: u32, end: u32): void {
  let tab = at;
  while (tab < end && load<u8>(tab) != TAB) tab++;
  const first = numberAt(at, tab);
  const second = numberAt(min(tab + 1, end), end);
  putSigned(second - first, at, end);
}
