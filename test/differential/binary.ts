/** Jobs on binary records with typed keys: their arbitrary, and the property that gpusort agrees with a model. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc, { type Arbitrary } from 'fast-check';
import { expect } from 'vitest';
import type { Resources } from '../../src/job/job.js';
import type { NumberType, RecordPart } from '../../src/job/ordering.js';
import { chance, maybe, pick, several, weighted } from '../support/draws.js';
import { parsed, runHere } from '../support/in-process.js';
import { changed } from '../support/jobs.js';
import { property, type Runs } from '../support/property.js';
import { compareTyped } from '../support/typed-records.js';
import { TIMEOUT_MS } from './agreement.js';
import { fileName, quoted } from './case.js';
import { MOST_SHRINKS } from './cases.js';

/** A key, and how the command line names it. */
interface Key {
  readonly part: RecordPart;
  readonly text: string;
}

interface BinaryCase {
  readonly size: number;
  /** `--array` and its types; null: --record-size and keys. */
  readonly array: string | null;
  readonly keys: readonly Key[];
  readonly mode: 'sort' | 'merge' | 'check';
  readonly reverse: boolean;
  readonly unique: boolean;
  readonly stable: boolean;
  /** The byte that --segment-by compares; null: no segments. */
  readonly segment: number | null;
  readonly limit: { readonly end: 'top' | 'bottom'; readonly count: number } | null;
  /** The records of --header; null: no such option. */
  readonly header: readonly Buffer[] | null;
  readonly files: readonly (readonly Buffer[])[];
  /** Whether the inputs of -m and -c are in order, and under -u without equal records. */
  readonly isSorted: boolean;
  readonly isDistinct: boolean;
  /** Options that change no result, and the spelling of -k. */
  readonly others: readonly string[];
  readonly keyOption: '-k' | '--key';
}

const TYPES = [
  { letter: 'u', kind: 'unsigned', widths: [1, 2, 4, 8, 16] },
  { letter: 'i', kind: 'signed', widths: [1, 2, 4, 8] },
  { letter: 'f', kind: 'float', widths: [4, 8] },
] as const;

/** Types of at most this many bytes, with their names. */
function typeOf(most = 16): Arbitrary<{ type: NumberType; text: string }> {
  const fitting = TYPES.filter(({ widths }) => widths[0] <= most);
  return pick(fitting).chain(({ letter, kind, widths }) =>
    fc.tuple(pick(widths.filter((width) => width <= most)), pick(['', 'le', 'be'])).map(([bytes, order]) => ({
      type: { kind, bytes, bigEndian: order === 'be' },
      text: `${letter}${8 * bytes}${order}`,
    })),
  );
}

function keyOf(size: number, reverse: boolean): Arbitrary<Key> {
  const bytes = fc
    .record({ most: pick([3, 10, 40]), length: fc.nat(99), offset: fc.nat(99), named: pick(['', ':bytes']) })
    .map(({ most, length: drawn, offset: at, named }) => {
      const length = 1 + (drawn % Math.min(size, most));
      const offset = at % (size - length + 1);
      return { offset, length, type: null, text: `${offset}:${length}${named}` };
    });
  const typed = fc
    .record({ typed: typeOf(size), offset: fc.nat(99), isLong: chance(30) })
    .map(({ typed: { type, text }, offset: at, isLong }) => {
      const offset = at % (size - type.bytes + 1);
      return { offset, length: type.bytes, type, text: `${offset}${isLong ? `:${type.bytes}` : ''}:${text}` };
    });
  return fc
    .tuple(weighted<Omit<RecordPart, 'reverse'> & { text: string }>([70, typed], [30, bytes]), chance(30))
    .map(([{ text, ...part }, own]) => ({
      part: { ...part, reverse: own || reverse },
      text: own ? `${text}:r` : text,
    }));
}

const arrays = fc.tuple(typeOf(), maybe(50, typeOf(), null)).map(([key, value]) => ({
  size: key.type.bytes + (value?.type.bytes ?? 0),
  key: key.type,
  text: value === null ? key.text : `${key.text}+${value.text}`,
}));

/**
 * Records: of the bytes that NaNs, infinities, both zeros, extremes and ties are made of; of any bytes; or of two
 * random bytes in one place and a few others far away, so many keys lie close together.
 */
function recordsOf(size: number): Arbitrary<Arbitrary<Buffer>> {
  const of = (entry: Arbitrary<number>): Arbitrary<Buffer> =>
    fc.array(entry, { minLength: size, maxLength: size }).map((bytes) => Buffer.from(bytes));
  const any = of(fc.nat(255));
  const close = fc.tuple(any, fc.nat(size - 1)).map(([rest, place]) => {
    const near = fc.tuple(fc.nat(255), fc.nat(255)).map((bytes) => {
      const record = Buffer.from(rest);
      record.set(bytes.slice(0, size - place), place);
      return record;
    });
    return weighted([95, near], [5, any]);
  });
  const special = of(pick([0, 0, 0, 1, 0x7f, 0x80, 0x80, 0xff, 0xf0]));
  return weighted([40, fc.constant(special)], [40, fc.constant(any)], [20, close]);
}

/** The facts that are drawn first, because shrinking keeps them. */
const facts = fc.record({
  array: maybe(40, arrays, null),
  size: pick([1, 2, 3, 4, 5, 7, 8, 8, 12, 16, 16, 20, 33, 100]),
  reverse: chance(30),
  mode: pick(['sort', 'sort', 'sort', 'sort', 'merge', 'check'] as const),
  mostRecords: pick([0, 1, 2, 7, 40, 40, 200, 200, 1000]),
});
const factsAndRecords = facts.chain((drawn) =>
  recordsOf(drawn.array?.size ?? drawn.size).map((record) => ({ ...drawn, record })),
);

const binaryCases: Arbitrary<BinaryCase> = fc.limitShrink(
  fc.noBias(
    fc.noShrink(factsAndRecords).chain(({ array, size: drawnSize, reverse, mode, mostRecords, record }) => {
      const size = array?.size ?? drawnSize;
      const part: RecordPart | null = array && { offset: 0, length: array.key.bytes, type: array.key, reverse };
      const key: Arbitrary<Key[]> = part === null ? several(0, 3, keyOf(size, reverse)) : pick([[{ part, text: '' }]]);
      const files = mode === 'check' ? pick([1]) : pick([1, 1, 1, 2, 3]);
      const list = several(0, mostRecords, record);
      return fc
        .record({
          keys: key,
          unique: chance(25),
          isStable: chance(30),
          segment: maybe(mode === 'sort' ? 15 : 0, fc.nat(size - 1), null),
          limit: maybe(20, fc.record({ end: pick(['top', 'bottom']), count: fc.nat(19) }), null),
          header: maybe(mode === 'check' ? 0 : 10, several(0, 3, record), null),
          files: files.chain((count) => several(count, count, list)),
          isSorted: mode === 'merge' ? pick([true]) : mode === 'check' ? chance(70) : pick([false]),
          isDistinct: chance(30),
          verify: maybe(mode === 'check' ? 0 : 20, pick([['--verify']]), []),
          memory: maybe(20, pick([['-S', '32M']]), []),
          keyOption: pick(['-k', '--key']),
        })
        .map(({ isStable, verify, memory, limit, ...drawn }) => ({
          ...drawn,
          size,
          array: array?.text ?? null,
          mode,
          reverse,
          stable: array !== null || isStable,
          limit: mode === 'sort' && drawn.segment === null ? limit : null,
          others: [...verify, ...memory],
        }));
    }),
  ),
  MOST_SHRINKS,
);

function wordsOf({ array, size, keys, keyOption, ...of }: BinaryCase): string[] {
  return [
    ...(array === null ? ['--record-size', String(size)] : ['--array', array]),
    ...(array === null ? keys.flatMap(({ text }) => [keyOption, text]) : []),
    ...(of.reverse ? ['-r'] : []),
    ...(of.unique ? ['-u'] : []),
    ...(of.stable && array === null ? ['-s'] : []),
    ...(of.segment === null ? [] : ['--segment-by', `${of.segment}:1`]),
    ...(of.header === null ? [] : ['--header', String(of.header.length)]),
    ...(of.limit === null ? [] : [`--${of.limit.end}`, String(of.limit.count)]),
    ...{ sort: [], merge: ['-m'], check: ['-c'] }[of.mode],
    ...of.others,
  ];
}

function partsOf({ keys, size, reverse }: BinaryCase): readonly RecordPart[] {
  return keys.length > 0 ? keys.map(({ part }) => part) : [{ offset: 0, length: size, type: null, reverse }];
}

function compare(of: BinaryCase, a: Buffer, b: Buffer): number {
  const sign = compareTyped(partsOf(of), a, b);
  return sign !== 0 || of.stable || of.unique ? sign : Buffer.compare(a, b) * (of.reverse ? -1 : 1);
}

/** The records in order, each segment by itself. */
function sorted(of: BinaryCase, records: readonly Buffer[]): Buffer[] {
  const { segment, unique } = of;
  const result: Buffer[] = [];
  for (let from = 0; from < records.length; ) {
    let to = from + 1;
    while (to < records.length && (segment === null || records[to][segment] === records[from][segment])) to++;
    const list = records.slice(from, to).sort((a, b) => compare(of, a, b));
    result.push(...list.filter((one, i) => !unique || i === 0 || compareTyped(partsOf(of), list[i - 1], one) !== 0));
    from = to;
  }
  return result;
}

/** The input files, and the expected status and, except for -c, output. */
function modelOf(of: BinaryCase): { inputs: Buffer[]; status: number; output: Buffer | null } {
  const { files, mode, limit, unique, isSorted, isDistinct } = of;
  const head = of.header ?? [];
  const lists = files.map((list) => (isSorted ? sorted({ ...of, unique: unique && isDistinct }, list) : list));
  const inputs = lists.map((list) => Buffer.concat([...head, ...list]));
  if (mode === 'check') {
    const most = unique ? -1 : 0;
    const inOrder = lists[0].every((record, i) => i === 0 || compare(of, lists[0][i - 1], record) <= most);
    return { inputs, status: inOrder ? 0 : 1, output: null };
  }
  const all = sorted(of, lists.flat());
  const first = limit?.end === 'bottom' ? Math.max(0, all.length - limit.count) : 0;
  const left = limit === null ? all : all.slice(first, first + limit.count);
  return { inputs, status: 0, output: Buffer.concat([...head, ...left]) };
}

/** The settings that a way adds to the jobs. */
type BinaryWay = Partial<Pick<Resources, 'engine' | 'algorithm' | 'chunkBytes' | 'gpuMemoryBytes' | 'parallel'>>;

async function expectModel(of: BinaryCase, way: BinaryWay): Promise<void> {
  const { inputs, status, output } = modelOf(of);
  const directory = mkdtempSync(join(process.env.GPUSORT_TEST_TMP ?? tmpdir(), 'binary-'));
  try {
    const paths = inputs.map((bytes, i) => {
      const path = join(directory, fileName(i));
      writeFileSync(path, bytes);
      return path;
    });
    const out = join(directory, 'out');
    // These algorithms do not take all jobs.
    const isTaken =
      of.mode === 'sort' &&
      (of.limit === null || way.algorithm !== 'sample-sort') &&
      (of.segment === null || way.algorithm === 'segmented');
    const ended = await runHere(
      () => parsed([...wordsOf(of), ...paths], 'gpusort'),
      'gpusort',
      (job) =>
        changed(job, {
          output: job.mode === 'check' ? null : Buffer.from(out),
          ...way,
          ...(!isTaken && { algorithm: 'auto' }),
        }),
    );
    const label = `${wordsOf(of).map(quoted).join(' ')} (${JSON.stringify(way)})`;
    expect(ended.status, `${label}\n${ended.messages}`).toBe(status);
    if (output !== null) expect(readFileSync(out).toString('hex'), label).toBe(output.toString('hex'));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Registers the property for ways, one of which is drawn for each case. */
export function agreesWithModel(name: string, ways: readonly BinaryWay[], runs: Runs): void {
  property(`agrees with the model ${name}`, [binaryCases, pick(ways)], expectModel, {
    timeoutMs: TIMEOUT_MS,
    ...runs,
  });
}
