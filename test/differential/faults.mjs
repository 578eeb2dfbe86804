/**
 * Faults that the differential test must find (mutation.mjs): each a piece of text of a file, which it has once, and what is put in its place.
 */
const fault = (file, name, from, to) => ({ file, name, from, to });

export const FAULTS = [
  // -n
  fault('kernels/keys/numeric.ts', 'a minus sign that changes nothing', "putScaled(digits, at, exponent, negative ? BASE - 1 : 0);", 'putScaled(digits, at, exponent, 0);'),
  fault('kernels/keys/numeric.ts', 'leading zeros of a fraction that do not count', 'exponent = -<i32>(at - fraction);', 'exponent = 0;'),
  fault('kernels/keys/numeric.ts', 'zeros at the end of a number that count', "(load<u8>(at - 1) == ZERO || load<u8>(at - 1) == POINT)", '(load<u8>(at - 1) == POINT)'),
  fault('kernels/keys/numeric.ts', 'an odd last digit of a number left out', 'while (at < end) {\n    let pair', 'while (at + 1 < end) {\n    let pair'),
  fault('kernels/keys/numeric.ts', 'large exponents in the wrong order', 'const above = exponent > 0;', 'const above = exponent < 0;'),
  fault('kernels/keys/numeric.ts', 'blanks before a number that end it', 'while (at < end && isBlank(load<u8>(at))) at++;\n  putDecimal', 'putDecimal'),
  // bytes, -d, -f, -i
  fault('kernels/keys/text.ts', '-d that drops blanks', 'dictionary && !isBlank(letter)', 'dictionary'),
  fault('kernels/keys/text.ts', '-f that folds the other way', 'fold ? upper(letter) : letter', 'fold && isLetter(letter) ? letter | 32 : letter'),
  fault('kernels/keys/text.ts', 'a text that does not end before longer ones', 'if (byte != DROPPED) putByte(byte - u32(byte > delimiter));\n  }\n  put(0);', 'if (byte != DROPPED) putByte(byte - u32(byte > delimiter));\n  }\n  put(254);'),
  fault('kernels/keys/bytes.ts', 'DEL that prints', 'return byte - 32 < 95;', 'return byte - 32 < 96;'),
  fault('kernels/keys/digits.ts', 'bytes 253 and above in one digit', 'if (rank < BASE - 2) put(rank + 1);', 'if (rank < BASE - 1) put(rank + 1);'),
  // fields
  fault('kernels/cpu/fields.ts', 'a newline that is no blank under -z', 'byte == SPACE || byte == TAB || byte == NEWLINE', 'byte == SPACE || byte == TAB'),
  // keys of a job
  fault('src/keys/keyed.ts', 'a key length of which a digit is wrong', 'line[i]! - Number(line[i]! > delimiter)', 'line[i]!'),
  fault('src/keys/compare.ts', '-s that is forgotten by -m and -c', 'ordering.lastResort ? record.length', 'true ? record.length'),
];
