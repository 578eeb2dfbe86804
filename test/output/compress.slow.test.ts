/** Compressed output, read by the programs of its formats, where they are installed. */
import { describe, expect, it } from 'vitest';
import { PROGRAM_FORMS } from '../../src/job/job.js';
import { hasProgram, piped, randomBytes } from '../support/codecs.js';
import { compressed } from './compressed.js';

const TEXT = randomBytes(3, 5_000_000, 4);
const EMPTY = Buffer.alloc(0);
const BINARY = randomBytes(9, 1_000_000, 256);
/** Level 9 of xz takes 10 seconds for the text. */
const LEVELS = [
  [EMPTY, 1],
  [TEXT, 1],
  [BINARY, 1],
  [EMPTY, 9],
  [BINARY, 9],
] as const;

describe.each(['gzip', 'bgzf'] as const)('%s', (kind) => {
  it.runIf(hasProgram('bgzip') && hasProgram('gzip'))(
    `writes ${kind} that its own program accepts (left out if missing)`,
    async () => {
      const program = kind === 'gzip' ? 'gzip' : 'bgzip';
      for (const text of [TEXT, EMPTY])
        for (const level of [0, 1, 6]) {
          const bytes = await compressed(text, { kind, level, threads: 2 });
          piped(program, ['-t'], bytes);
          expect(piped(program, ['-dc'], bytes).equals(text)).toBe(true);
        }
    },
  );
});

it.each(PROGRAM_FORMS)('writes %s that its own program reads (left out if missing)', async (kind) => {
  if (!hasProgram(kind)) return;
  for (const [text, level] of LEVELS) {
    const bytes = await compressed(text, { kind, level, threads: 2 });
    expect(piped(kind, ['-dc'], bytes).equals(text)).toBe(true);
    expect((await compressed(text, { kind, level, threads: 0 })).equals(bytes)).toBe(true);
  }
});

it.runIf(hasProgram('zstd'))('writes zstd that the program zstd reads (left out if missing)', async () => {
  for (const [text, level] of LEVELS) {
    const bytes = await compressed(text, { kind: 'zstd', level, threads: 2 });
    expect(piped('zstd', ['-dc'], bytes).equals(text)).toBe(true);
    expect((await compressed(text, { kind: 'zstd', level, threads: 0 })).equals(bytes)).toBe(true);
  }
});
