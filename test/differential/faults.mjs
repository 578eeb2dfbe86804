/**
 * Faults that the differential test must catch (mutation.mjs). Each replaces a piece of text that occurs exactly once
 * in its file.
 */
const fault = (file, name, from, to) => ({ file, name, from, to });

export const FAULTS = [
  // -n
  fault(
    'kernels/wasm/keys/numeric.ts',
    'large negative numbers as large positive ones',
    'putScaled(digits, at, exponent, negative ? BASE - 1 : 0)',
    'putScaled(digits, at, exponent, 0)',
  ),
  fault(
    'kernels/wasm/keys/numeric.ts',
    'digits behind the point make a number larger',
    'FIRST + whole + LOW',
    'FIRST + count + LOW',
  ),
  fault(
    'kernels/wasm/keys/numeric.ts',
    'zeros behind the point do not count',
    'exponent = -<i32>(at - fraction);',
    'exponent = 0;',
  ),
  fault(
    'kernels/wasm/keys/numeric.ts',
    'zeros at the end of a number count',
    '(load<u8>(at - 1) == ZERO || !isDigit(load<u8>(at - 1)))',
    '!isDigit(load<u8>(at - 1))',
  ),
  fault(
    'kernels/wasm/keys/numeric.ts',
    'numbers of more than a hundred digits before shorter ones',
    'const above = exponent > 0;',
    'const above = exponent < 0;',
  ),
  fault(
    'kernels/wasm/keys/numeric.ts',
    'blanks before a number end it',
    'while (at < end && isBlank(load<u8>(at))) at++;\n  putDecimal',
    'putDecimal',
  ),
  // -g
  fault('kernels/wasm/keys/general.ts', 'what is no number is zero', 'else put(NO_NUMBER);', 'else put(NOTHING);'),
  fault(
    'kernels/wasm/keys/general.ts',
    'white space before a number that is no blank ends it',
    'byte == 32 || byte - 9 < 5',
    'byte == 32 || byte == 9',
  ),
  fault(
    'kernels/wasm/keys/general.ts',
    'infinity is no number',
    'isWord(at, end, 0x666e69)',
    'isWord(at, end, 0x666e6a)',
  ),
  fault(
    'kernels/wasm/keys/decimal.ts',
    'a large E ends a number',
    '(load<u8>(at) | 32) == LETTER_E',
    'load<u8>(at) == LETTER_E',
  ),
  fault(
    'kernels/wasm/keys/hexadecimal.ts',
    'powers of two behind a P do not count',
    'scale += exponentAt(at + 1, end);',
    'exponentAt(at + 1, end);',
  ),
  fault('kernels/wasm/keys/long-double.ts', 'what is halfway is rounded up', '(more || (high & 1) != 0)', 'true'),
  // -h, -M, -V, -R
  fault(
    'kernels/wasm/keys/human.ts',
    'zero with a suffix is larger than zero',
    'return largest > ZERO ? rankOf(byte) : 0;',
    'return rankOf(byte);',
  ),
  fault(
    'kernels/wasm/keys/human.ts',
    'suffixes of negative numbers are not turned about',
    'NO_SUFFIX - rank : NO_SUFFIX + rank',
    'NO_SUFFIX + rank : NO_SUFFIX + rank',
  ),
  fault('kernels/wasm/keys/human.ts', 'E is no suffix', 'case 69: return 6;', 'case 69: return 0;'),
  fault(
    'kernels/wasm/keys/month.ts',
    'July is June',
    'case joined(74, 85, 76): return 7;',
    'case joined(74, 85, 76): return 6;',
  ),
  fault('kernels/wasm/keys/month.ts', 'what follows a month counts', 'end - at < 3', 'end - at != 3'),
  fault(
    'kernels/wasm/keys/version.ts',
    '~ is a byte like others',
    'const BEFORE_ALL: u32 = 2;',
    'const BEFORE_ALL: u32 = 251;',
  ),
  fault('kernels/wasm/keys/version.ts', 'suffixes are not left out', 'if (suffix == end) {', 'if (suffix <= end) {'),
  fault(
    'kernels/wasm/keys/version.ts',
    'hidden names are not first',
    'const HIDDEN: u32 = 1;',
    'const HIDDEN: u32 = 7;',
  ),
  fault(
    'kernels/wasm/keys/version.ts',
    'zeros before numbers count',
    'while (at < end && load<u8>(at) == ZERO) at++;',
    '',
  ),
  fault(
    'kernels/wasm/keys/random.ts',
    'a step of MD5 turns by a bit too few',
    'words, 3 * i + 14, i + 3, 23',
    'words, 3 * i + 14, i + 3, 22',
  ),
  // bytes, -d, -f, -i
  fault(
    'kernels/wasm/keys/text.ts',
    'blanks do not count under -d',
    'dictionary ? !isBlank(letter) &&',
    'dictionary ?',
  ),
  fault('kernels/wasm/keys/text.ts', '-f does nothing beside -d and -i', 'fold ? upper(letter) : letter', 'letter'),
  fault('kernels/wasm/keys/bytes.ts', 'DEL prints', 'return byte - 32 < 95;', 'return byte - 32 < 96;'),
  // fields and keys
  fault(
    'kernels/wasm/shared/fields.ts',
    'a newline is no blank under -z',
    'v128.or(i8x16.eq(bytes, i8x16.splat(TAB)), i8x16.eq(bytes, i8x16.splat(NEWLINE)))',
    'i8x16.eq(bytes, i8x16.splat(TAB))',
  ),
  fault(
    'kernels/wasm/shared/fields.ts',
    'POS2 without bytes ends before its field',
    'if (endByte == 0) return skipFields(from, end, count,',
    'if (endByte == 0) return skipFields(from, end, max(count, 1) - 1,',
  ),
  fault(
    'src/cli/parse/ordering.ts',
    'a key with r alone takes what holds globally',
    "saysAnything(key.modifiers) || key.modifiers.letters.has('r')",
    'saysAnything(key.modifiers)',
  ),
  fault(
    'src/cli/parse/ordering.ts',
    '-r turns about the first key of the whole line that has letters',
    'if (whole === 0) return { ...asked, reverse,',
    'if (whole === 0) return { ...asked,',
  ),
  fault(
    'src/cli/parse/ordering.ts',
    'R beside V is V',
    "['M', 'month'], ['R', 'random'], ['V', 'version'],",
    "['M', 'month'], ['V', 'version'], ['R', 'random'],",
  ),
  fault(
    'src/cli/parse/key-definition.ts',
    'the second obsolescent place is a field too far',
    'field: Math.max(field - 1, 0), byte',
    'field, byte',
  ),
  fault('src/check.ts', '-c takes equal lines under -u', '(ordering.unique ? -1 : 0)', '0'),
  fault(
    'src/keys/compare.ts',
    '-m and -c do not know -s',
    'ordering.lastResort ? record.length',
    'true ? record.length',
  ),
  fault(
    'src/merge.ts',
    'of equal lines -m takes that of the last file first',
    'return sign !== 0 ? sign < 0 : a < b;',
    'return sign !== 0 ? sign < 0 : a > b;',
  ),
  // sample sort
  fault(
    'kernels/wasm/cpu/distribute.ts',
    'records without the prefix of most go to the wrong end',
    '? u64.MAX_VALUE : 0) ^ flip',
    '? 0 : u64.MAX_VALUE) ^ flip',
  ),
  fault(
    'kernels/wasm/cpu/distribute.ts',
    'buckets are not turned about under -r',
    'return keyAt(window + prefixBytes, windowStop);',
    'return keyAt(window + prefixBytes, windowStop) ^ flip;',
  ),
  fault(
    'src/runs/buckets.ts',
    'of equal lines that of the last chunk is first',
    '.filter((slice) => slice.to.byte > slice.from.byte);',
    '.filter((slice) => slice.to.byte > slice.from.byte).reverse();',
  ),
  // keys made on the GPU
  fault(
    'kernels/wgsl/keyed-lines/key-numbers.wgsl',
    'negative numbers are above zero',
    'put(select(digit, 2u * ZERO_ROW - digit, negative));',
    'put(digit);',
  ),
  fault(
    'kernels/wgsl/keyed-lines/key-rows.wgsl',
    'a text does not end before longer ones',
    '  put(0u);\n}',
    '  put(254u);\n}',
  ),
  fault(
    'kernels/wgsl/shared/fields.wgsl',
    'bytes of a place are counted one too many',
    'return at + min(bytes, limit - at);',
    'return at + min(bytes + 1u, limit - at);',
  ),
];
