/** The tags of BAM records as text (SAM specification, section 4.2.4), in the form in which htslib writes them. */
import { putDouble, putSingle, putWhole } from './numbers';

const TAB: u8 = 9;
const COLON: u8 = 58;
const COMMA: u8 = 44;

/** The bytes of a value of a numeric type or a letter; 0: the type has no fixed size. */
// @ts-ignore: decorator
@inline
function sizeOf(type: u8): u32 {
  switch (type) {
    case 65: case 99: case 67: return 1; // A c C
    case 115: case 83: return 2; // s S
    case 105: case 73: case 102: return 4; // i I f
    case 100: return 8; // d
    default: return 0;
  }
}

/** Where the tag at `at` ends; 0 if it is malformed or reaches over `end`. */
export function nextTag(at: u32, end: u32): u32 {
  if (end - at < 4) return 0;
  const type = load<u8>(at, 2);
  const size = sizeOf(type);
  at += 3;
  if (size != 0) return end - at < size ? 0 : at + size;
  if (type == 90 || type == 72) { // Z H
    while (at < end && load<u8>(at) != 0) at++;
    return at == end ? 0 : at + 1;
  }
  if (type != 66 || end - at < 5) return 0; // B
  const item = sizeOf(load<u8>(at));
  const count = load<u32>(at, 1);
  at += 5;
  return item == 0 || item == 8 || (end - at) / item < count ? 0 : at + item * count;
}

/** Writes a tab and the tag at `at`, which ends at `next`; returns its end, or 0 if an array has letters. */
export function putTag(at: u32, next: u32, target: u32): u32 {
  const type = load<u8>(at, 2);
  store<u8>(target, TAB);
  store<u16>(target, load<u16>(at), 1);
  store<u8>(target, COLON, 3);
  at += 3;
  if (type == 90 || type == 72) {
    store<u8>(target, type, 4);
    store<u8>(target, COLON, 5);
    target += 6;
    const bytes = next - 1 - at;
    for (let i: u32 = 0; i < bytes; i += 16) v128.store(target + i, v128.load(at + i));
    return target + bytes;
  }
  if (type == 66) {
    const item = load<u8>(at);
    if (item == 65) return 0;
    store<u8>(target, 66, 4);
    store<u8>(target, COLON, 5);
    store<u8>(target, item, 6);
    target += 7;
    const size = sizeOf(item);
    for (at += 5; at < next; at += size) {
      store<u8>(target, COMMA);
      target = putValue(item, at, target + 1);
    }
    return target;
  }
  store<u8>(target, type == 65 || type == 102 || type == 100 ? type : 105, 4);
  store<u8>(target, COLON, 5);
  return putValue(type, at, target + 6);
}

// @ts-ignore: decorator
@inline
function putValue(type: u8, at: u32, target: u32): u32 {
  switch (type) {
    case 67: return putWhole(load<u8>(at), target);
    case 99: return putWhole(load<i8>(at), target);
    case 83: return putWhole(load<u16>(at), target);
    case 115: return putWhole(load<i16>(at), target);
    case 73: return putWhole(load<u32>(at), target);
    case 105: return putWhole(load<i32>(at), target);
    case 102: return putSingle(load<u32>(at), target);
    case 100: return putDouble(load<u64>(at), target);
    default:
      store<u8>(target, load<u8>(at));
      return target + 1;
  }
}
