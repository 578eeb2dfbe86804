/** Merges sorted texts into one with a loser tree over the next line of each. */

import type { Limit } from '../../job/job.js';
import type { Collation } from '../../keys/collation/collation.js';
import type { Outcome } from '../cpu/outcome.js';
import { compareLines, LineBuffer, type Lines, readLines } from './lines.js';
import { WEIGHING_BYTES } from './order.js';

/** Bytes of a text read at once; at least one line. */
const BLOCK_BYTES = 64 << 10;

/**
 * Merges `texts`, each of whole lines, into `target`; among equal lines, those of earlier texts come first. If `limit`
 * requests the first lines, writes only these. A limit to the last lines is ignored, because the choice would depend on
 * how merges are cut (src/engines/cpu/task.ts).
 */
export function mergeCollated(
  collation: Collation,
  texts: readonly Buffer[],
  target: Buffer,
  limit: Limit | null = null,
  weighingBytes = WEIGHING_BYTES,
): Outcome {
  const bytes = texts.reduce((sum, { length }) => sum + length, 0);
  const cursors = texts
    .filter(({ length }) => length > 0)
    .map((text) => new LineCursor(collation, text, bytes >= weighingBytes));
  const output = new LineBuffer(target);
  const tree = new LoserTree(cursors.length, (a, b) => {
    const [first, second] = [cursors[a], cursors[b]];
    if (first.ended || second.ended) return second.ended && (!first.ended || a < b);
    const sign = compareLines(collation, first.lines, first.i, second.lines, second.i);
    return sign !== 0 ? sign < 0 : a < b;
  });
  /** The line written last, under `unique`: lines equal to it are dropped. */
  let last: { readonly lines: Lines; readonly i: number } | null = null;
  const most = limit?.end === 'first' ? limit.count : Infinity;
  for (
    let cursor = cursors[tree.winner];
    cursor !== undefined && !cursor.ended && output.count < most;
    cursor = cursors[tree.winner]
  ) {
    const { lines, i } = cursor;
    if (last === null || compareLines(collation, last.lines, last.i, lines, i) !== 0) {
      output.write(lines, i);
      if (collation.ordering.unique) last = { lines, i };
    }
    cursor.step();
    tree.replay();
  }
  return output.outcome();
}

/** A cursor over the lines of a text. */
class LineCursor {
  lines: Lines;
  i = 0;
  ended = false;
  private readonly collation: Collation;
  private readonly text: Buffer;
  private readonly weighs: boolean;
  /** Where the lines read so far end. */
  private next = 0;

  constructor(collation: Collation, text: Buffer, weighs: boolean) {
    this.collation = collation;
    this.text = text;
    this.weighs = weighs;
    this.lines = this.read();
  }

  step(): void {
    if (++this.i < this.lines.count) return;
    if (this.next === this.text.length) {
      this.ended = true;
      return;
    }
    this.lines = this.read();
    this.i = 0;
  }

  private read(): Lines {
    const { text, next } = this;
    const delimiter = text[text.length - 1];
    let end = text.length;
    if (end - next > BLOCK_BYTES) {
      end = text.lastIndexOf(delimiter, next + BLOCK_BYTES - 1) + 1;
      if (end <= next) end = text.indexOf(delimiter, next) + 1;
    }
    this.next = end;
    return readLines(this.collation, text, next, end, this.weighs);
  }
}

/**
 * A loser tree over `count` cursors (Knuth, volume 3, section 5.4.1). A change of the winner takes one comparison per
 * level.
 */
class LoserTree {
  winner = 0;
  private readonly count: number;
  /** The loser at each inner node. Node n has the children 2n and 2n + 1; nodes from `count` on are leaves. */
  private readonly losers: Uint32Array;
  private readonly precedes: (a: number, b: number) => boolean;

  constructor(count: number, precedes: (a: number, b: number) => boolean) {
    this.count = count;
    this.losers = new Uint32Array(count);
    this.precedes = precedes;
    if (count > 0) this.winner = this.play(1);
  }

  /** Restores the order after the winner has changed. */
  replay(): void {
    for (let node = (this.winner + this.count) >> 1; node > 0; node >>= 1) {
      const loser = this.losers[node];
      if (!this.precedes(loser, this.winner)) continue;
      this.losers[node] = this.winner;
      this.winner = loser;
    }
  }

  private play(node: number): number {
    if (node >= this.count) return node - this.count;
    const [a, b] = [this.play(2 * node), this.play(2 * node + 1)];
    const wins = this.precedes(a, b);
    this.losers[node] = wins ? b : a;
    return wins ? a : b;
  }
}
