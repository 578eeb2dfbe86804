/**
 * Files in which many lines are larger than a chunk: the output is GNU sort's. Some of these lines are equal, some
 * begin with the same thousands of bytes, and some with the text of a short line.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, it } from 'vitest';
import { sortOn } from '../battery/here.js';
import { expectSameBytes, freshDirectory, run } from '../battery/runner.js';
import { randomBelow } from '../support/random.js';
import { sampled } from '../support/tier.js';

const KEYS = '-k1,1 -k2,2n';
const OPTIONS = ['', '-r', '-u', KEYS, '-k2,2n -u', '-k2,2n -s', '-n -s', '-k2,2n -rs', '-k1,1r -u', '-k2,2n'];
/** In memory, or with temporary files. */
const MEMORY = ['--chunk-size 8K', '--chunk-size 8K -S 1M'];

const ALIKE = 'p'.repeat(6000);

function longLines(): string[] {
  const next = randomBelow(31);
  return Array.from({ length: 200 }, () => {
    const fields = `${'abc'[next(3)].repeat(1 + next(2))} ${next(12)}`;
    switch (next(16)) {
      case 0:
        return `${fields} ${'x'.repeat(9000 + next(3) * 5000)}`;
      case 1:
        return `${ALIKE}${fields} ${'y'.repeat(next(3) * 5000)}`;
      case 2:
        return `${ALIKE}${fields}`;
      case 3:
        return `${fields} ${'\xff'.repeat(9000)}`;
      default:
        return `${fields} ${'z'.repeat(next(20))}`;
    }
  });
}

/** Defines the tests on an engine. */
export function sortsLongLines(engine: 'cpu' | 'gpu'): void {
  const cwd = freshDirectory('long-lines');
  beforeAll(() => {
    writeFileSync(join(cwd, 'lines'), longLines().join('\n'), 'latin1');
  });
  const sort = sortOn(engine);
  const cases = OPTIONS.flatMap((options) => MEMORY.map((memory) => [options, memory] as const));
  // A software GPU takes seconds to compile the kernels of another ordering.
  const values = ([options, memory]: readonly [string, string]) => (engine === 'cpu' ? [options, memory] : [memory]);
  it.each(
    sampled(cases, { count: engine === 'cpu' ? 20 : 3, seed: 3, values, always: ([options]) => options === KEYS }),
  )('sorts many lines larger than a chunk: %s %s', async (options, memory) => {
    const words = options.split(' ').filter((word) => word !== '');
    const { stdout } = await sort([...words, ...memory.split(' '), 'lines'], { cwd });
    expectSameBytes(stdout, (await run('sort', [...words, 'lines'], { cwd })).stdout);
  });
}
