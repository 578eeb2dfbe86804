/** Much text is sorted in threads, by the weights of strings. */
import { expect, it } from 'vitest';
import { jobOf } from '../../cli/arguments.js';
import { join, referenceSort, sorted, textLines } from './support.js';

it.each([{}, { chunkBytes: 300_000, memoryBytes: 600_000 }])(
  'sorts in threads by the weights of strings: %j',
  async (changes) => {
    const words = textLines(11, 40_000);
    const lines = words.map((line, i) =>
      Buffer.concat([line, Buffer.from(' und dann noch '), words[words.length - 1 - i], Buffer.from(String(i % 7))]),
    );
    const text = join(lines);
    expect(text.length).toBeGreaterThan(1 << 20);
    const expected = join(
      referenceSort(lines, { locale: 'de', keys: [(line) => line], reversed: [true], unique: true }),
    );
    const result = await sorted(jobOf('--locale=de -ru'), [text], { parallel: 2, ...changes });
    expect(result.equals(expected)).toBe(true);
  },
);
