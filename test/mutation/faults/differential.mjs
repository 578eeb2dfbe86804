/** Faults that the differential tests must catch, those of GPU kernels on the GPU engine, others on the CPU engine. */
const ON_GPU = '-t "random cases|binary records" test/battery/battery.gpu.test.ts';
const LINES = '--gpu none test/differential/differential.test.ts test/differential/chunks.test.ts';
const RECORDS = '--gpu none test/differential/binary.test.ts';
const IN_CHUNKS = '--gpu none test/differential/chunks.test.ts';
/** Tests of a single part, which catch its faults sooner. */
const PARTS = [
  ['kernels/wasm/keys/', 'test/keys/orderings.test.ts test/keys/general.test.ts'],
  ['src/cli/parse/', 'test/cli/request.test.ts'],
  ['src/check.ts', 'test/cli/check.test.ts'],
  ['kernels/wasm/cpu/distribute.ts', 'test/engines/cpu/distribute.test.ts'],
];

function testsOf(file, name) {
  if (file.endsWith('.wgsl')) return ON_GPU;
  if (/^(typed keys|small records)/.test(name)) return RECORDS;
  const [, part] = PARTS.find(([begin]) => file.startsWith(begin)) ?? [];
  const all = name.startsWith('sample sort') ? IN_CHUNKS : LINES;
  return part === undefined ? all : `${all} ${part}`;
}
const fault = (file, name, from, to, tests = testsOf(file, name)) => ({ file, name, from, to, tests });

export const DIFFERENTIAL = [
  // -n
  fault(
    'kernels/wasm/keys/numeric.ts',
    '-n: large negative numbers are not complemented',
    'putScaled(digits, at, exponent, negative ? BASE - 1 : 0)',
    'putScaled(digits, at, exponent, 0)',
  ),
  fault(
    'kernels/wasm/keys/numeric.ts',
    '-n: fraction digits count as integer digits',
    'FIRST + whole + LOW',
    'FIRST + count + LOW',
  ),
  fault(
    'kernels/wasm/keys/numeric.ts',
    '-n: leading zeros of a fraction are ignored',
    'exponent = -<i32>(at - fraction);',
    'exponent = 0;',
  ),
  fault(
    'kernels/wasm/keys/numeric.ts',
    '-n: trailing zeros are significant',
    '(load<u8>(at - 1) == ZERO || !isDigit(load<u8>(at - 1)))',
    '!isDigit(load<u8>(at - 1))',
  ),
  fault(
    'kernels/wasm/keys/numeric.ts',
    '-n: numbers of over 100 digits sort before shorter ones',
    'const above = exponent > 0;',
    'const above = exponent < 0;',
  ),
  fault(
    'kernels/wasm/keys/numeric.ts',
    '-n: leading blanks end a number',
    'while (at < end && isBlank(load<u8>(at))) at++;\n  putDecimal',
    'putDecimal',
  ),
  // -g
  fault('kernels/wasm/keys/general.ts', '-g: non-numbers count as 0', 'else put(NO_NUMBER);', 'else put(NOTHING);'),
  fault(
    'kernels/wasm/keys/general.ts',
    '-g: leading white space other than blanks ends a number',
    'byte == 32 || byte - 9 < 5',
    'byte == 32 || byte == 9',
  ),
  fault(
    'kernels/wasm/keys/general.ts',
    '-g: infinity is a non-number',
    'isWord(at, end, 0x666e69)',
    'isWord(at, end, 0x666e6a)',
  ),
  fault(
    'kernels/wasm/keys/decimal.ts',
    '-g: an uppercase E ends a number',
    '(load<u8>(at) | 32) == LETTER_E',
    'load<u8>(at) == LETTER_E',
  ),
  fault(
    'kernels/wasm/keys/hexadecimal.ts',
    '-g: the exponent after P is ignored',
    'scale += exponentAt(at + 1, end);',
    'exponentAt(at + 1, end);',
  ),
  fault('kernels/wasm/keys/long-double.ts', '-g: ties round up', '(more || (high & 1) != 0)', 'true'),
  // -h, -M, -V, -R
  fault(
    'kernels/wasm/keys/human.ts',
    '-h: zero with a suffix is larger than zero',
    'return largest > ZERO ? rankOf(byte) : 0;',
    'return rankOf(byte);',
  ),
  fault(
    'kernels/wasm/keys/human.ts',
    '-h: suffixes of negative numbers are not complemented',
    'NO_SUFFIX - rank : NO_SUFFIX + rank',
    'NO_SUFFIX + rank : NO_SUFFIX + rank',
  ),
  fault('kernels/wasm/keys/human.ts', '-h: E is not a suffix', 'case 69: return 6;', 'case 69: return 0;'),
  fault(
    'kernels/wasm/keys/month.ts',
    '-M: July is June',
    'case joined(74, 85, 76): return 7;',
    'case joined(74, 85, 76): return 6;',
  ),
  fault('kernels/wasm/keys/month.ts', '-M: text after a month counts', 'end - at < 3', 'end - at != 3'),
  fault(
    'kernels/wasm/keys/version.ts',
    '-V: ~ is an ordinary byte',
    'const BEFORE_ALL: u32 = 2;',
    'const BEFORE_ALL: u32 = 251;',
  ),
  fault('kernels/wasm/keys/version.ts', '-V: suffixes are not removed', 'if (suffix == end) {', 'if (suffix <= end) {'),
  fault(
    'kernels/wasm/keys/version.ts',
    '-V: hidden names do not sort first',
    'const HIDDEN: u32 = 1;',
    'const HIDDEN: u32 = 7;',
  ),
  fault(
    'kernels/wasm/keys/version.ts',
    '-V: leading zeros are significant',
    'while (at < end && load<u8>(at) == ZERO) at++;',
    '',
  ),
  fault(
    'kernels/wasm/keys/random.ts',
    '-R: one step of MD5 rotates by 22 instead of 23 bits',
    'words, 3 * i + 14, i + 3, 23',
    'words, 3 * i + 14, i + 3, 22',
  ),
  // bytes, -d, -f, -i
  fault('kernels/wasm/keys/text.ts', '-d: blanks are ignored', 'dictionary ? !isBlank(letter) &&', 'dictionary ?'),
  fault('kernels/wasm/keys/text.ts', '-f: no effect together with -d or -i', 'fold ? upper(letter) : letter', 'letter'),
  fault('kernels/wasm/keys/bytes.ts', '-i: DEL is printable', 'return byte - 32 < 95;', 'return byte - 32 < 96;'),
  // fields and keys
  fault(
    'kernels/wasm/shared/fields.ts',
    '-z: a newline is not a blank',
    'v128.or(i8x16.eq(bytes, i8x16.splat(TAB)), i8x16.eq(bytes, i8x16.splat(NEWLINE)))',
    'i8x16.eq(bytes, i8x16.splat(TAB))',
  ),
  fault(
    'kernels/wasm/shared/fields.ts',
    '-k: POS2 without a byte ends before its field',
    'if (endByte == 0) return skipFields(from, end, count,',
    'if (endByte == 0) return skipFields(from, end, max(count, 1) - 1,',
  ),
  fault(
    'src/cli/parse/ordering.ts',
    '-k: a key with only r inherits global options',
    "saysAnything(key.modifiers) || key.modifiers.letters.has('r')",
    'saysAnything(key.modifiers)',
  ),
  fault(
    'src/cli/parse/ordering.ts',
    '-k: a key of the entire line takes -r from the command line',
    'if (whole === 0) return { ...requested, reverse,',
    'if (whole === 0) return { ...requested,',
  ),
  fault(
    'src/cli/parse/ordering.ts',
    '-R: -V takes precedence',
    "  ['R', 'random'],\n  ['V', 'version'],",
    "  ['V', 'version'],\n  ['R', 'random'],",
  ),
  fault(
    'src/cli/parse/key-definition.ts',
    '+POS1 -POS2: POS2 is one field too far',
    'field: Math.max(field - 1, 0), byte',
    'field, byte',
  ),
  fault('src/check.ts', '-c: equal lines are accepted under -u', '(ordering.unique ? -1 : 0)', '0'),
  fault(
    'src/keys/compare.ts',
    '-m and -c: -s is ignored',
    'ordering.lastResort ? record.length',
    'true ? record.length',
  ),
  fault(
    'src/input/merge-in-turn.ts',
    '-m: equal lines of later files come first',
    'return sign !== 0 ? sign < 0 : a < b;',
    'return sign !== 0 ? sign < 0 : a > b;',
  ),
  // sample sort
  fault(
    'kernels/wasm/cpu/distribute.ts',
    'sample sort: records without the common prefix go to the wrong end',
    '? u64.MAX_VALUE : 0) ^ flip',
    '? 0 : u64.MAX_VALUE) ^ flip',
  ),
  fault(
    'kernels/wasm/cpu/distribute.ts',
    'sample sort: buckets are not reversed under -r',
    'return keyAt(first + prefixBytes, stop);',
    'return keyAt(first + prefixBytes, stop) ^ flip;',
  ),
  fault(
    'src/runs/buckets.ts',
    'sample sort: equal lines of later chunks come first',
    '.filter((slice) => slice.to.byte > slice.from.byte);',
    '.filter((slice) => slice.to.byte > slice.from.byte).reverse();',
  ),
  // keys made on the GPU
  fault(
    'kernels/wgsl/records/keyed-lines/key-numbers.wgsl',
    'GPU keys: negative numbers sort after zero',
    'put(select(digit, 2u * ZERO_ROW - digit, negative));',
    'put(digit);',
  ),
  fault(
    'kernels/wgsl/records/keyed-lines/key-rows.wgsl',
    'GPU keys: a text does not sort before longer ones that start with it',
    '  put(0u);\n}',
    '  put(254u);\n}',
  ),
  fault(
    'kernels/wgsl/shared/fields.wgsl',
    'GPU keys: byte positions are one too large',
    'return at + min(bytes, limit - at);',
    'return at + min(bytes + 1u, limit - at);',
  ),
  // binary records
  fault(
    'kernels/wasm/shared/record-encoding.ts',
    'typed keys: the sign of a negative float is complemented twice',
    '? u64.MAX_VALUE >> 1 : u64.MAX_VALUE',
    '? u64.MAX_VALUE : u64.MAX_VALUE',
  ),
  fault(
    'kernels/wasm/shared/record-encoding.ts',
    'typed keys: signs are lost in numbers of 4 bytes',
    'value ^ <u32>(inversion >> 32)',
    'value ^ <u32>inversion',
  ),
  fault(
    'kernels/wasm/shared/record-encoding.ts',
    'typed keys: small records with negative floats are not complemented',
    'v128.and(i8x16.shr_s(',
    'v128.and(i8x16.shr_u(',
  ),
  fault(
    'src/keys/record-encoding.ts',
    'typed keys: signed numbers sort as unsigned',
    'first: from === top ? rest ^ signBit : rest',
    'first: from === top ? rest ^ (signBit & 0) : rest',
  ),
  fault(
    'src/keys/record-encoding.ts',
    'typed keys: the parts of a little-endian key that overlaps another are swapped',
    'return isLittle ? ranges.reverse() : ranges;',
    'return ranges;',
  ),
  fault(
    'src/cli/parse/make-job.ts',
    'typed keys: keys without letters ignore -r',
    'reverse: key.reverse || reverse',
    'reverse: key.reverse',
  ),
  fault(
    'kernels/wasm/cpu/small-radix.ts',
    'small records: -r is ignored by the radix sort',
    'flip == 0 ? i : VALUES - 1 - i',
    'i',
  ),
  fault(
    'kernels/wasm/cpu/small-record.ts',
    'small records: insertion ignores the last resort',
    'const number = numbersAt(at, orderPlaces);',
    'const number = numbersAt(at, keyPlaces);',
  ),
  fault(
    'kernels/wasm/cpu/small-record.ts',
    'small records: -u drops records that differ from the last one',
    '!v128.any_true(v128.xor(',
    'v128.any_true(v128.xor(',
  ),
  fault(
    'kernels/wgsl/records/recode.wgsl',
    'GPU, typed keys: the sign of a negative float is complemented',
    'if (sign < count) { word ^= 0x80u << (sign * 8u); }',
    '',
  ),
  fault(
    'kernels/wgsl/records/recode.wgsl',
    'GPU, typed keys: signed numbers sort as unsigned',
    'if (special < count) { word ^= how.y << (special * 8u); }',
    '',
  ),
  fault(
    'kernels/wgsl/engine/fixed-keys/ties.wgsl',
    'GPU, fixed keys: the second of two equal keys has no last resort',
    'equal || next_equal',
    'next_equal',
    'test/engines/gpu/engine/fixed-keys',
  ),
];
