/** Faults of the kernels that deflate, inflate and convert alignments, and of threads that inflate one gzip file. */
const fault = (file, name, from, to, ...tests) => ({
  file,
  name,
  from,
  to,
  tests: `--gpu none ${tests.map((test) => `test/${test}.test.ts`).join(' ')}`,
});
const deflate = (file, ...row) => fault(`kernels/wasm/deflate/${file}.ts`, ...row, 'codecs/deflate');
const inflate = (file, ...row) => fault(`kernels/wasm/codecs/${file}.ts`, ...row, 'codecs/inflate');
const gzip = (file, ...row) => fault(file, ...row, 'input/inflate-gzip');
const alignments = (file, ...row) =>
  fault(`kernels/wasm/alignments/${file}.ts`, ...row, 'genomics/convert', 'genomics/convert-records');

export const KERNELS = [
  deflate(
    'matches',
    'a match is as long as the text in memory, past the end of the block',
    'return length < most ? length : most;',
    'return length;',
  ),
  deflate(
    'matches',
    'matches are found by the low 24 bits of 4 bytes',
    'load<u32>(earlier) != word',
    '((load<u32>(earlier) ^ word) & 0xffffff) != 0',
  ),
  deflate(
    'best-matches',
    'the search after a match takes what saves less',
    'if (saves <= saved) return saved;',
    'if (saves <= 0) return saved;',
  ),
  deflate(
    'best-matches',
    'candidates reach back past the window',
    'if (earlier < first) break;',
    'if (earlier < textBegin) break;',
  ),
  deflate(
    'best-matches',
    'places of 3 bytes stay from the text before',
    '  memory.fill(shortPositions, 0, SHORT_POSITION_BYTES);\n',
    '',
  ),
  deflate('best-matches', 'no level tries more than level 6', 'if (level <= 6) setEffort', 'if (level <= 9) setEffort'),
  deflate('links', 'positions stay from the text before', '  memory.fill(positions, 0, POSITION_BYTES);\n', ''),
  deflate('links', 'hashes read past the end of the text', 'textEnd - (HASHED - 1)', 'textEnd'),
  deflate(
    'links',
    'more is linked ahead than the links hold beside the window',
    'LINKED: usize = 8192',
    'LINKED: usize = 65536',
  ),
  deflate('prices', 'codes cost nothing', 'CODES: u32 = 10 * BIT', 'CODES: u32 = 0'),
  deflate('prices', 'hashes always have 4 bytes', 'MOST_HASHED: u32 = 8', 'MOST_HASHED: u32 = 4'),
  deflate('block', 'codes of literals have 15 bits', 'MOST_SYMBOL_BITS: u32 = 14', 'MOST_SYMBOL_BITS: u32 = 16'),
  deflate(
    'block',
    'the header of a stored block takes no bits',
    '- waitingBits - 3 + 8 * (4 + <u64>(to - from))',
    '- waitingBits - 3 + 8 * (<u64>(to - from) - 1000)',
  ),
  deflate(
    'header',
    'a run of absent codes is one too long',
    'addItem(MANY_ABSENT, min(times, 138) - 11);',
    'addItem(MANY_ABSENT, min(times, 138) - 10);',
  ),
  inflate(
    'blocks',
    'a match may reach one byte too far back',
    'if (distance > <u32>(outputEnd - windowBegin))',
    'if (distance > <u32>(outputEnd - windowBegin) + 1)',
  ),
  inflate(
    'blocks',
    'the fast loop lets matches reach too far back',
    'if (distance > <u32>(to - window)) break;',
    'if (distance > <u32>(to - window) + 1) break;',
  ),
  inflate(
    'blocks',
    'literals are written past the room',
    'if (outputEnd + sizeof<T>() > roomEnd)',
    'if (outputEnd > roomEnd)',
  ),
  inflate(
    'blocks',
    'the length of a stored block is not compared with its complement',
    'if (storedLeft != ((both >> 16) ^ 0xffff)) return',
    'if (storedLeft > 0xffff) return',
  ),
  inflate(
    'blocks',
    'the reserved type of blocks is taken for a dynamic one',
    'if (type == 3) return',
    'if (type == 4) return',
  ),
  inflate('header', '287 symbols are accepted', 'MOST_LITERALS: u32 = 286', 'MOST_LITERALS: u32 = 287'),
  inflate('header', '31 distances are accepted', 'MOST_DISTANCES: u32 = 30', 'MOST_DISTANCES: u32 = 31'),
  inflate(
    'header',
    'a repeat may pass the last length',
    'if (i + repeats > all) return',
    'if (i + repeats > all + 1) return',
  ),
  inflate(
    'header',
    'a block needs no code for its end',
    'if (load<u8>(LENGTHS + END_OF_BLOCK) == 0) return',
    'if (at == 0) return',
  ),
  inflate(
    'tables',
    'a longest distance begins one byte too late',
    '8193, 12289, 16385, 24577,',
    '8193, 12289, 16385, 24578,',
  ),
  inflate(
    'copy',
    'patterns of 15 bytes repeat after 16',
    '<u8>(16 - (16 % distance))',
    '<u8>(16 - (16 % min(distance, 14)))',
  ),
  inflate(
    'find-block',
    'blocks with a count of 16 to 31 distances are passed over',
    '~((w >> 9) & (w >> 10) & (w >> 11) & (w >> 12))',
    '~(w >> 12)',
  ),
  inflate('find-block', 'every 45th bit is not searched', 'at += STEP_BITS)', 'at += STEP_BITS + 1)'),
  gzip(
    'kernels/wasm/codecs/resolve.ts',
    'the last symbol of four becomes the byte of the third',
    'load<u8>(table + <usize>(four >> 48)) << 24',
    'load<u8>(table + (<usize>(four >> 32) & 0xffff)) << 24',
  ),
  gzip(
    'src/codecs/gzip-tasks.ts',
    'the checksum of a part includes the next one',
    'const end = this.part < this.ends.length ? this.ends[this.part] - this.taken : Infinity;',
    'const end = this.part < this.ends.length ? this.ends[this.part] - this.taken + 1 : Infinity;',
  ),
  gzip(
    'src/codecs/gzip-tasks.ts',
    'a trailer may end after the input',
    "if (end > bytes.length) return 'needs input';",
    "if (end > bytes.length + 8) return 'needs input';",
  ),
  alignments('bam-record', 'a position is one too small', 'load<i32>(at, 8) + 1', 'load<i32>(at, 8)'),
  alignments(
    'bam-record',
    'bases of odd places come first',
    'i8x16.swizzle(letters, i8x16.shr_u(codes, 4))',
    'i8x16.swizzle(letters, v128.and(codes, low))',
  ),
  alignments(
    'bam-record',
    'a missing quality string is only known by a byte of 254',
    'NO_QUALITIES: u8 = 0xff',
    'NO_QUALITIES: u8 = 0xfe',
  ),
  alignments(
    'bam-record',
    'a CIGAR of another length than the sequence is accepted',
    'readBases(cigar, operations) != bases',
    'readBases(cigar, operations) > bases + 1000',
  ),
  alignments(
    'cigar',
    'insertions advance on the contig',
    'ON_CONTIG: u32 = 1 << 0 | 1 << 2',
    'ON_CONTIG: u32 = 1 << 0 | 1 << 1 | 1 << 2',
  ),
  alignments(
    'sam-tags',
    'H texts of odd length are accepted',
    'if (type == 72 && (stop - value & 1) != 0)',
    'if (type == 71)',
  ),
  alignments('sam-tags', 'an array of values up to 255 stays bytes', 'return to < 255 ? 67', 'return to < 256 ? 67'),
  alignments('sam-tags', 'integers over 32 bits are cut', 'value > 4294967295', 'value > 4294967296'),
];
