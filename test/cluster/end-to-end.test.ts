/** Whole sorts by the command line, with tasks in processes of this host. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { freshDirectory } from '../battery/runner.js';
import { BINARY, environment } from '../cli/run.js';
import { sampled } from '../support/tier.js';
import { cases, testCases } from './end-to-end.js';
import { Place } from './place.js';

const MB = 1e6;
const root = freshDirectory('end-to-end');

describe('--cluster local:3', () => {
  testCases(
    sampled(cases, { count: cases.length, seed: 1 }),
    root,
    ['--cluster=local:3', '--tasks=3'],
    ({ isLarge }) => (isLarge ? 20 : 2) * MB,
  );

  it.each([
    ['blanks, quotes and a dash first', Buffer.from('-o \'b\' "c" $d `e` %s \\101 * ')],
    [
      'bytes that are not UTF-8, newlines and 250 bytes',
      Buffer.concat([Buffer.from([0xff, 0x20, 0xfe, 0x0a, 0x80])].concat(Buffer.alloc(244, 'n'), Buffer.from('\n'))),
    ],
  ])('reads and writes files whose names have %s', (_, name) => {
    const place = new Place(100);
    const inside = (directory: Buffer | string, file: Buffer): Buffer =>
      Buffer.concat([Buffer.from(directory as string), Buffer.from('/'), file]);
    const work = inside(place.directory, name);
    mkdirSync(work);
    const [input, output] = [inside(work, name), inside(work, Buffer.concat([Buffer.from('o'), name.subarray(0, -1)]))];
    writeFileSync(input, readFileSync(place.input));
    // Node cannot pass these bytes.
    const octal = (file: Buffer): string => [...file].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
    const script =
      'for name in "$2" "$3" "$4"; do set -- "$@" "$(printf "${name}x")"; done; ' +
      'exec "$0" "$1" --engine cpu --cluster local:2 --tasks 2 -T "${5%x}" --work-dir "${5%x}" -o "${7%x}" -- "${6%x}"';
    const { status, stderr } = spawnSync(
      '/bin/sh',
      ['-c', script, process.execPath, BINARY, ...[work, input, output].map(octal)],
      { env: environment(), encoding: 'latin1' },
    );
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(readFileSync(output, 'latin1') === place.sorted).toBe(true);
    expect(readdirSync(work, { encoding: 'buffer' })).toHaveLength(2);
  });
});
