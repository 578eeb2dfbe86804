/**
 * Jobs drawn from the option table, and inputs that fit them, for tests that send one job along several roads. A new
 * option needs an entry in VALUES, and is then drawn.
 */
import fc, { type Arbitrary } from 'fast-check';
import { randomBelow } from '../support/random.js';

/** What an option gets. `left`: why it is not drawn. */
type Values = readonly string[] | { readonly left: string };
/** An option without an argument. */
const GIVEN = [''];
const BAM = { left: 'roads of BAM have tests of their own (test/genomics/bam-as-it-is.test.ts)' };
const MODE = { left: 'another mode, which has no at-once road' };
const PRINTS = { left: 'prints something else instead of sorting' };
const PLACE = { left: 'names a file or a directory of this test' };
const CLUSTER = { left: 'tasks have tests of their own (test/cluster/matrix.test.ts)' };
const READS = { left: 'reads have tests of their own (test/genomics/reads.test.ts)' };

/** Values for each option of the table, by its long name. */
export const VALUES: Readonly<Record<string, Values>> = {
  'ignore-leading-blanks': GIVEN,
  'dictionary-order': GIVEN,
  'ignore-case': GIVEN,
  'general-numeric-sort': GIVEN,
  'human-numeric-sort': GIVEN,
  'ignore-nonprinting': GIVEN,
  'month-sort': GIVEN,
  'numeric-sort': GIVEN,
  // The seed is the same in all runs.
  'random-sort': [' --random-source=seed'],
  'random-source': ['seed'],
  reverse: GIVEN,
  sort: ['numeric', 'version', 'month'],
  'version-sort': GIVEN,
  key: ['1,1', '2,2n', '2,2nr', '1.2,1.3', '2', '1,1f'],
  check: MODE,
  merge: MODE,
  output: PLACE,
  stable: GIVEN,
  'field-separator': [',', ' '],
  'buffer-size': ['32M', '1G'],
  'temporary-directory': PLACE,
  parallel: ['1', '2'],
  'batch-size': ['2'],
  'compress-program': ['gzip'],
  debug: GIVEN,
  'files0-from': PLACE,
  unique: ['', 'last'],
  'zero-terminated': GIVEN,
  help: PRINTS,
  version: PRINTS,
  engine: ['cpu', 'auto'],
  algorithm: ['radix', 'sample-sort'],
  csv: GIVEN,
  tsv: GIVEN,
  json: ['a', 'b:n'],
  'record-size': ['3', '8'],
  array: ['u32', 'f64'],
  'segment-by': ['1,1'],
  segments: ['blank'],
  locale: ['de'],
  header: ['0', '1', '3'],
  'header-prefix': ['a'],
  // The seed is the same in all runs.
  shuffle: [' --seed=5'],
  sample: ['40 --seed=5'],
  seed: ['5'],
  count: GIVEN,
  'dupes-output': ['others'],
  top: ['1', '7', '1000'],
  per: ['1,1'],
  bottom: ['1', '7'],
  verify: GIVEN,
  sync: GIVEN,
  'chunk-size': ['4K', '1M'],
  'gpu-memory': ['1G'],
  explain: PRINTS,
  stats: ['text'],
  progress: ['always', 'never'],
  color: ['never'],
  completions: PRINTS,
  adapters: PRINTS,
  format: ['bed', 'vcf'],
  by: ['position'],
  as: ['sort-bed'],
  contigs: ['natural'],
  mate: READS,
  'mate-out': READS,
  interleaved: READS,
  'combine-rg': BAM,
  'combine-pg': BAM,
  decompress: GIVEN,
  'output-format': ['plain', 'gzip', 'zstd'],
  level: ['1'],
  pg: { left: 'names the command line, which differs' },
  index: PLACE,
  cluster: CLUSTER,
  tasks: CLUSTER,
  'work-dir': CLUSTER,
  'slurm-options': CLUSTER,
  'output-parts': CLUSTER,
  detach: CLUSTER,
  'cluster-task': CLUSTER,
};

/** Words of up to five options. Many combinations are refused. */
export const options: Arbitrary<readonly string[]> = fc
  .array(
    fc.constantFrom(
      ...Object.entries(VALUES).flatMap(([long, values]) => ('left' in values ? [] : [[long, values] as const])),
    ),
    { maxLength: 5 },
  )
  .chain((rows) => fc.tuple(...rows.map(([long, values]) => fc.constantFrom(...values).map((value) => [long, value]))))
  .map((given) =>
    given.flatMap(([long, value]) => {
      const [own, ...others] = value!.split(' --');
      return [own === '' ? `--${long}` : `--${long}=${own}`, ...others.map((other) => `--${other}`)];
    }),
  );

/** A text of about so many bytes that fits the options: lines with two fields, CSV, JSON, BED, VCF or numbers. */
export function inputFor(words: readonly string[], bytes: number, seed: number): Buffer {
  const below = randomBelow(seed);
  const has = (option: string): boolean => words.some((word) => word.startsWith(`--${option}`));
  const name = (): string => ['alpha', 'Beta', 'äpfel', 'beta', 'JAN', 'v1.10', 'v1.9', ''][below(8)]!;
  const number = (): string => String(below(40) - 20 + below(2) / 2);
  if (has('record-size') || has('array'))
    return Buffer.from(Array.from({ length: bytes - (bytes % 24) }, () => below(256)));
  const end = has('zero-terminated') ? '\0' : '\n';
  const separator = has('tsv') ? '\t' : ',';
  const line = has('json')
    ? () => [`{"a":"${name()}","b":${number()}}`, '{"b":"x"}', 'no JSON'][Math.max(0, below(9) - 6)]!
    : has('csv') || has('tsv')
      ? () => [`"${name()}${end}${below(9)}"`, number(), name()].join(separator)
      : has('format=vcf')
        ? () => `chr${1 + below(12)}\t${1 + below(2000)}\t.\tA\tC\t.\t.\t.`
        : has('format') || has('by')
          ? () => `chr${1 + below(12)}\t${below(2000)}\t${2000 + below(9)}`
          : () => (below(9) === 0 ? '' : `${name()} ${number()},${below(3)}`);
  const lines = has('csv') || has('tsv') ? [['first', 'second', 'third'].join(separator)] : [];
  if (has('format=vcf')) lines.push('##fileformat=VCFv4.2', '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO');
  for (let size = 0; size < bytes; size += lines.at(-1)!.length + 1) lines.push(line());
  return Buffer.from(lines.map((one) => one + end).join(''));
}
