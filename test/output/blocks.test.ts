/**
 * Blocks of BGZF that an engine writes in place of text, until it fails: the next attempt passes all of the text again.
 * The output then has it once, and the index knows each record once.
 */
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect } from 'vitest';
import type { BlockOutput } from '../../src/contract/bam-sort.js';
import { bamIndex } from '../../src/output/index/bam.js';
import { openSink } from '../../src/output/sink.js';
import { freshDirectory } from '../battery/runner.js';
import { BGZF_END, bgzf } from '../support/genomics-bam.js';
import { job, silent } from '../support/jobs.js';
import { property } from '../support/property.js';
import { type RandomBelow, randomBelow } from '../support/random.js';
import { bam, type Place, positionsOf } from './index/bam-text.js';
import { build, readBgzf } from './index/tools.js';

const cwd = freshDirectory('blocks');
mkdirSync(cwd, { recursive: true });
const RECORD_BYTES = 38;

/** Records in order on two contigs, then some without one. */
function placesOf(below: RandomBelow): Place[] {
  const places = Array.from({ length: 500 + below(2000) }, (): Place => [below(2), below(400_000)]);
  places.sort(([a, x], [b, y]) => a - b || x - y);
  return [...places, ...Array.from({ length: below(9) }, (): Place => [-1, -1])];
}

/** Writes the records in ranges of blocks, as an engine does that fails somewhere, perhaps within a range. */
async function writeBlocks(
  { text: takeText, positions, write }: BlockOutput,
  places: readonly Place[],
  text: Buffer,
  takesPositions: boolean,
  below: RandomBelow,
): Promise<void> {
  const head = text.length - RECORD_BYTES * places.length;
  let left = below(8);
  for (let first = 0; first < places.length && left > 0; ) {
    const records = places.slice(first, first + 1 + below(1500));
    const range = text.subarray(head + RECORD_BYTES * first, head + RECORD_BYTES * (first + records.length));
    if (takesPositions) positions!(new Uint8Array(positionsOf(records, 0, RECORD_BYTES).buffer), range.length);
    for (let at = 0; at < range.length && !takesPositions; ) {
      const piece = range.subarray(at, at + 1 + below(20_000));
      at += piece.length;
      await takeText!(piece);
      if (below(40) === 0) return;
    }
    first += records.length;
    for (let at = 0; at < range.length; ) {
      if (left-- === 0) return;
      const part = range.subarray(at, at + 1 + below(30_000));
      at += part.length;
      const block = bgzf(part).subarray(0, -BGZF_END.length);
      await write(block, [{ text: part.length, bytes: block.length }]);
    }
  }
}

property(
  'text follows blocks of an attempt that failed',
  [fc.nat(), fc.boolean(), fc.nat(2)],
  async (seed, takesPositions, again) => {
    const below = randomBelow(seed);
    const places = placesOf(below);
    const text = bam(places, 500_000);
    const output = join(cwd, 'out.bam');
    const genomics = { format: 'bam', guessed: false, by: 'coordinate', as: null, program: null } as const;
    const settings = { compression: { kind: 'bgzf', level: 1 }, index: 'auto', genomics } as const;
    const sink = await openSink(job({ ...settings, output: Buffer.from(output) }), silent);
    await sink.write(text.subarray(0, text.length - RECORD_BYTES * places.length));
    await writeBlocks(sink.blocks!, places, text, takesPositions, below);
    // Attempts with text may fail, too.
    for (let attempt = again; attempt >= 0; attempt--) {
      sink.restart();
      expect(sink.blocks).toBeNull();
      const end = attempt === 0 ? text.length : below(text.length);
      for (let at = 0; at < end; ) {
        const piece = text.subarray(at, Math.min(end, at + 1 + below(30_000)));
        at += piece.length;
        await sink.write(piece);
      }
    }
    await sink.finish();
    const file = readBgzf(readFileSync(output));
    expect(file.text.equals(text)).toBe(true);
    expect(readFileSync(`${output}.bai`).equals(build(bamIndex('auto'), file, below))).toBe(true);
  },
  { runs: 128 },
);
