/**
 * FASTQ and FASTA in BGZF, framed by the threads that inflate it, against the same text framed after it was inflated:
 * the same lines, or the same message, whatever is damaged.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { END_BLOCK, writeBlock } from '../../src/codecs/bgzf.js';
import { framedInParts } from '../../src/input/framed-source.js';
import { inflateBgzf } from '../../src/input/inflate-bgzf.js';
import { fastaFramer } from '../../src/records/fasta.js';
import { fastqFramer } from '../../src/records/fastq.js';
import type { PartFraming, PartRule } from '../../src/records/framed-parts.js';
import { damage, drawFasta, drawFastq, resultOf } from '../records/fastx-reference.js';
import { property } from '../support/property.js';
import { type RandomBelow, randomBelow } from '../support/random.js';
import { readAll, readerOf } from '../support/streams.js';

const MOST_BLOCK_TEXT = 400;

/** The text in blocks of random lengths, some of them empty. */
function bgzf(below: RandomBelow, text: Buffer, most: number): Buffer {
  const blocks: Buffer[] = [];
  const target = Buffer.alloc(1 << 16);
  for (let at = 0; at < text.length; ) {
    const block = text.subarray(at, (at += below(5) === 0 ? 0 : 1 + below(most)));
    blocks.push(Buffer.from(target.subarray(0, writeBlock(block, 1, target, 0))));
  }
  return Buffer.concat([...blocks, END_BLOCK]);
}

/** Removes the end of a file, or changes, inserts or removes a byte. */
function damageBytes(below: RandomBelow, file: Buffer): Buffer {
  const at = below(file.length);
  const added = Buffer.from([[], [0], [below(256)], [0x1f, 0x8b]][below(4)]);
  return Buffer.concat([file.subarray(0, at), added, below(3) === 0 ? Buffer.alloc(0) : file.subarray(at + below(2))]);
}

interface Way {
  readonly threads: number;
  /** Whether the threads frame what they inflate, and text of a task. */
  readonly inParts: boolean;
  readonly taskText?: number;
}

/** The lines of a file, or the message of its error. */
function read(file: Buffer, rule: PartRule, { threads, inParts, taskText }: Way) {
  const framing: PartFraming = { rule, framed: null };
  const text = inflateBgzf(readerOf(file), { label: 'x' }, threads, inParts ? framing : null, taskText);
  const framer = rule.kind === 'fastq' ? fastqFramer('x', rule.lines) : fastaFramer('x');
  return resultOf(async () => (await readAll(framedInParts(text, framer, framing))).toString('latin1'));
}

const RULES: readonly PartRule[] = [{ kind: 'fastq', lines: 4 }, { kind: 'fastq', lines: 8 }, { kind: 'fasta' }];
const drawText = (below: RandomBelow, rule: PartRule, records: number, most: number): string =>
  rule.kind === 'fastq' ? drawFastq(below, records, rule.lines, most) : drawFasta(below, records);

property(
  'frames FASTQ and FASTA in the tasks that inflate it, or refuses it, like text that is framed afterwards',
  [fc.constantFrom(...RULES), fc.constantFrom('nothing', 'text', 'text', 'file'), fc.nat()],
  async (rule, damaged, seed) => {
    const below = randomBelow(seed);
    const whole = drawText(below, rule, below(12), 300);
    const text = damaged === 'text' ? damage(below, whole) : whole;
    const intact = bgzf(below, Buffer.from(text, 'latin1'), 1 + below(MOST_BLOCK_TEXT));
    const file = damaged === 'file' ? damageBytes(below, intact) : intact;
    const tasks = { threads: 0, taskText: MOST_BLOCK_TEXT + below(2000) };
    expect(await read(file, rule, { ...tasks, inParts: true })).toEqual(
      await read(file, rule, { ...tasks, inParts: false }),
    );
  },
  { runs: 400 },
);

it.each(RULES)('frames long texts in BGZF with threads: %j', async (rule) => {
  const below = randomBelow(8);
  const text = drawText(below, rule, rule.kind === 'fasta' ? 20_000 : 2000, 400);
  for (const end of ['', '\n;\n']) {
    const file = bgzf(below, Buffer.from(text + end, 'latin1'), 60_000);
    const got = await read(file, rule, { threads: 2, inParts: true });
    const want = await read(file, rule, { threads: 0, inParts: false });
    // toEqual compares long texts slowly.
    expect(got.refused).toBe(want.refused);
    expect(got.text === want.text).toBe(true);
  }
});
