/** Collated jobs for tests, and the reference: Array.sort with the collator on decoded lines. */
import * as fs from 'node:fs';
import * as path from 'node:path';
import type { SortJob } from '../../../src/job/job.js';
import type { Ordering } from '../../../src/job/ordering.js';
import { runJob } from '../../../src/run/run-job.js';
import { jobOf } from '../../cli/arguments.js';
import { withDirectory } from '../../cli/run.js';
import { type JobSettings, job, silent } from '../../support/jobs.js';
import { random, randomBelow } from '../../support/random.js';
import { join, split } from '../../support/records.js';

export const orderingOf = (...args: readonly string[]): Ordering => jobOf(args).ordering;

/**
 * Decodes a line independently of src/keys/collation/part.ts, with the runtime's TextDecoder. If the line is
 * ill-formed, decodes it one character at a time and maps each bad byte to 0xDC00 + byte.
 */
export function decoded(line: Uint8Array): string {
  const whole = wellFormed(line);
  if (whole !== null) return whole;
  let text = '';
  for (let at = 0; at < line.length; ) {
    const length = [1, 2, 3, 4].find(
      (bytes) => at + bytes <= line.length && wellFormed(line.subarray(at, at + bytes)) !== null,
    );
    text += length === undefined ? String.fromCharCode(0xdc00 + line[at]) : wellFormed(line.subarray(at, at + length));
    at += length ?? 1;
  }
  return text;
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function wellFormed(bytes: Uint8Array): string | null {
  try {
    return decoder.decode(bytes);
  } catch {
    return null;
  }
}

/** A reference ordering: earlier keys take precedence; then bytes, unless the sort is stable. */
export interface Reference {
  readonly locale: string;
  /** Extracts each key from a line, as text or as a number. */
  readonly keys: readonly ((line: string) => string | number)[];
  /** Whether each key is reversed. */
  readonly reversed?: readonly boolean[];
  readonly reverse?: boolean;
  readonly lastResort?: boolean;
  readonly unique?: boolean;
}

export function referenceSort(
  lines: readonly Uint8Array[],
  { locale, keys, reversed = [], reverse = false, unique = false, lastResort = !unique }: Reference,
): Uint8Array[] {
  const collator = new Intl.Collator(locale);
  const items = lines.map((line) => ({ line, values: keys.map((key) => key(decoded(line))) }));
  type Item = (typeof items)[number];
  const byKeys = (a: Item, b: Item): number => {
    for (const [i, value] of a.values.entries()) {
      const other = b.values[i];
      const sign = typeof value === 'number' ? value - (other as number) : collator.compare(value, other as string);
      if (sign !== 0) return reversed[i] ? -sign : sign;
    }
    return 0;
  };
  items.sort((a, b) => byKeys(a, b) || (lastResort ? (reverse ? -1 : 1) * Buffer.compare(a.line, b.line) : 0));
  return items.filter((item, i) => !unique || i === 0 || byKeys(items[i - 1], item) !== 0).map(({ line }) => line);
}

const ALPHABETS = [
  'aAbBzZ',
  'aàáâäåæAÅÄ',
  'oóöøœOÖ',
  'cčçhsz',
  'nñNÑ',
  'sßS',
  'ijıİ',
  'αβγΑά',
  'абвёе',
  '字漢가한',
  '0123456789',
  ' -_.',
  '😀😃',
  'e\u0301e\u0308a\u030a\u0000\u00ad',
].map((each) => [...each]);

/** Lines of letters of many scripts, digits, marks and ill-formed bytes. About a tenth repeat earlier lines. */
export function textLines(seed: number, count: number, delimiter = 10): Buffer[] {
  const next = random(seed);
  const below = randomBelow(seed + 1);
  const lines: Buffer[] = [];
  for (let i = 0; i < count; i++) {
    if (i > 0 && next() < 0.1) {
      lines.push(lines[below(i)]);
      continue;
    }
    const alphabet = ALPHABETS[below(ALPHABETS.length)];
    const other = ALPHABETS[below(ALPHABETS.length)];
    const text = Array.from({ length: below(9) }, () => {
      const from = next() < 0.8 ? alphabet : other;
      return from[below(from.length)];
    }).join('');
    const bytes = Buffer.from(text);
    if (next() < 0.05 && bytes.length > 0) bytes[below(bytes.length)] = 0x80 + below(128);
    lines.push(bytes.filter((byte) => byte !== delimiter) as Buffer);
  }
  return lines.map((line) => Buffer.from(line));
}

/** Runs a whole job on files with these texts, and returns its output. */
export async function sorted(
  requested: SortJob,
  inputs: readonly Uint8Array[],
  changes: JobSettings = {},
): Promise<Buffer> {
  return withDirectory(async (directory) => {
    const names = inputs.map((text, i) => {
      const name = path.join(directory, `in${i}`);
      fs.writeFileSync(name, text);
      return Buffer.from(name);
    });
    const output = path.join(directory, 'out');
    const { mode, ordering } = requested;
    await runJob(
      job({
        mode,
        ordering,
        inputs: names,
        output: Buffer.from(output),
        temporaryDirectories: [Buffer.from(directory)],
        ...changes,
      }),
      silent,
    );
    return fs.readFileSync(output);
  });
}

/** Lines as strings of one character a byte, for the messages of failed tests. */
export function shown(text: Uint8Array, ordering: Ordering): string[] {
  return split(text, ordering).map((line) => Buffer.from(line).toString('latin1'));
}

export { join };
