/**
 * Whole sorts by `--cluster`: seeded inputs, options, and the expected output: that of GNU sort, if it has the order,
 * else that of one gpusort. For test/cluster/end-to-end.ts and cluster-slurm.mjs.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { generate } from '../generate.mjs';
import { generateGenomics } from '../genomics-data.mjs';
import { letters, linesText } from '../lines.mjs';

/** Approximate bytes of a record of genomics-data.mjs. */
const RECORD_BYTES = { reads: 362, bed: 42 };

/** A line: its number, which shows its place in the input, and a text. */
const numbered = (key) => (random) => (i) => `${key(random)} ${i} ${letters(random, 'abcdefgh', random(24))}`;

const KINDS = {
  /** All lines have the same key. */
  equal: numbered(() => 'same'),
  /** Half of the lines have the same key. */
  half: numbered((random) => (random(2) === 0 ? 'half' : random(1e9).toString(36))),
  /** 20,000 different lines. */
  few: (random) => () => `line ${random(20_000)} ${'of a few '.repeat(3)}`,
  /** Numbers in the second field: negative, equal, with decimals, or none. */
  numbers: (random) => () => {
    const number = random(8) === 0 ? letters(random, 'xyz', 3) : String((random(2e6) - 1e6) / 10 ** random(4));
    return `${letters(random, 'abcdef', 1 + random(8))} ${number} ${letters(random, 'abcdef', random(20))}`;
  },
};

/**
 * `input`: a kind above, of generate.mjs or of genomics-data.mjs. `options`: those of gpusort. `sort`: those of GNU
 * sort for the same output; without it, one gpusort makes the output to compare with. `files`: the number of inputs, 1
 * unless given; `gzip`: they are compressed. `named`: tested on Slurm in every run.
 */
export const CASES = [
  { name: 'lines', input: 'urls', options: [], sort: [], isLarge: true, named: true },
  { name: 'equal keys, -s -k1,1', input: 'equal', options: ['-s', '-k1,1'], sort: ['-s', '-k1,1'], named: true },
  { name: 'a key that is half of the input, -k1,1', input: 'half', options: ['-k1,1'], sort: ['-k1,1'] },
  { name: '-u', input: 'few', options: ['-u'], sort: ['-u'], named: true },
  { name: '-n -k2', input: 'numbers', options: ['-n', '-k2'], sort: ['-n', '-k2'], named: true },
  { name: '--count', input: 'few', options: ['--count'] },
  { name: '--top=1000 -r', input: 'urls', options: ['--top=1000', '-r'] },
  { name: '--record-size=100', input: 'records100', options: ['--record-size=100', '-k0:10'] },
  { name: 'FASTQ, --by=name', input: 'reads', options: ['--by=name'], named: true },
  { name: 'BED', input: 'bed', options: ['--format=bed'] },
  { name: '--output-parts', input: 'urls', options: ['--output-parts'], sort: [] },
  { name: 'three files, -r', input: 'half', options: ['-r'], sort: ['-r'], files: 3 },
  {
    name: 'three .gz files, --output-format=bgzf',
    input: 'urls',
    options: ['--decompress', '--output-format=bgzf'],
    files: 3,
    gzip: true,
  },
];

/** Makes the inputs of a case in `directory`, of about `bytes` bytes in all. Returns their names. */
export function makeInputs({ input, files = 1, gzip = false }, directory, bytes) {
  return Array.from({ length: files }, (_, i) => {
    const path = join(directory, `input-${i}.${input === 'reads' ? 'fastq' : 'txt'}`);
    makeInput(input, path, Math.ceil(bytes / files), i + 1);
    if (!gzip) return path;
    writeFileSync(`${path}.gz`, gzipSync(readFileSync(path), { level: 1 }));
    return `${path}.gz`;
  });
}

function makeInput(kind, path, bytes, seed) {
  if (kind in KINDS) writeFileSync(path, linesText(KINDS[kind], bytes, seed));
  else if (kind in RECORD_BYTES) generateGenomics(kind, path, { records: Math.ceil(bytes / RECORD_BYTES[kind]), seed });
  else generate(kind, path, { bytes, seed });
}
