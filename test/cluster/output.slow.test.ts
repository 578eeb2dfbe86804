/** Outputs, inputs and disks that a user may not write, or that are full. Needs root. */
import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BINARY, environment, gpusort } from '../cli/run.js';
import { linesOf, Place } from './place.js';

const bytes = (name: string): string => readFileSync(name, 'latin1');
const NOBODY = 65534;

/** Runs gpusort as the user nobody. */
function nobody(...words: string[]): { status: number | null; stderr: string } {
  const user = [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups', process.execPath, BINARY];
  const { status, stderr } = spawnSync('setpriv', [...user, ...words], {
    env: environment(),
    timeout: 60_000,
    encoding: 'latin1',
  });
  return { status, stderr };
}

describe.skipIf(process.getuid!() !== 0 || nobody('--version').status !== 0)('another user', () => {
  const client = (place: Place, ...words: string[]): ReturnType<typeof nobody> =>
    nobody('--engine', 'cpu', '--cluster', 'local:2', '--tasks', '3', '-o', place.output, ...words, place.input);
  /** A place that all users may write. */
  const openPlace = (): Place => {
    const place = new Place();
    chmodSync(join(place.directory, '..'), 0o755);
    chmodSync(place.directory, 0o777);
    return place;
  };

  it('may not write the output, or its directory', () => {
    const place = openPlace();
    writeFileSync(place.output, 'old');
    expect(client(place)).toEqual({
      status: 2,
      stderr: `gpusort: open failed: ${place.output}: Permission denied\n`,
    });
    chmodSync(place.output, 0o666);
    chmodSync(place.directory, 0o755);
    expect(client(place).stderr).toMatch(/^gpusort: cannot create directory: .*: Permission denied\n/);
    const work = place.folder('work');
    chownSync(work, NOBODY, NOBODY);
    expect(client(place, '--work-dir', work)).toEqual({ status: 0, stderr: '' });
    place.expectSorted('work');
    expect(readdirSync(work)).toEqual([]);
    rmSync(place.output);
    const { status, stderr } = client(place, '--work-dir', work);
    expect(stderr).toMatch(/^gpusort: open failed: .*\/\.gpusort-[0-9a-f]+\.sorted: Permission denied\n/);
    expect([status, readdirSync(work), place.names()]).toEqual([2, [], ['in', 'work']]);
  });

  it('may not read an input on a node', async () => {
    const place = openPlace();
    expect((await place.prepare()).status).toBe(0);
    const give = (user: number): void => {
      spawnSync('chown', ['-R', String(user), place.job]);
    };
    give(NOBODY);
    // As if the node had other permissions than the client.
    chmodSync(place.input, 0o600);
    expect(nobody('--cluster-task', join(place.job, 'share-0000'))).toEqual({
      status: 2,
      stderr: `gpusort: cannot read: ${place.input}: Permission denied\n`,
    });
    expect(bytes(join(place.job, 'errors/share-0000.json'))).toContain('Permission denied');
    give(0);
    expect(await place.here()).toMatchObject({ status: 0, stderr: '' });
    place.expectSorted();
  });
});

/** A file system of `size` bytes; null if this process may not mount. */
function mount(directory: string, size: string): (() => void) | null {
  mkdirSync(directory);
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', directory], { stdio: 'ignore' });
  if (status !== 0) return null;
  return () => spawnSync('umount', ['--lazy', directory], { stdio: 'ignore' });
}

describe('a full disk', () => {
  const place = new Place();
  const disk = join(place.directory, 'disk');
  const input = join(place.directory, 'large');
  const lines = linesOf(200_000, 5);
  const text = lines.join('');
  const sortedText = lines.sort().join('');
  let unmount: (() => void) | null = null;

  beforeAll(() => {
    unmount = mount(disk, '8m');
    writeFileSync(input, text);
  });
  afterAll(() => unmount?.());

  const output = join(disk, 'out');
  it.each([
    {
      what: 'for the runs',
      words: ['-o', place.output, '--work-dir', disk],
      again: ['-o', place.output, '--work-dir', disk],
      // A task whose message finds no room either has it in its log.
      says: /^gpusort: share-000. (on .*|of this host ended with status 2): write failed: .*: No space left on device\n(Free space there: the sorted shares need as much as the input|Its output is in).*\nRun the same command again to resume.*\n$/,
    },
    {
      what: 'for the output, whose old contents stay',
      words: ['-o', output, '--work-dir', place.directory],
      again: ['-o', output, '--work-dir', place.directory],
      says: /^gpusort: (range-000. (on .*|of this host ended with status 2): )?write failed: .*: No space left on device\n/,
    },
    {
      what: 'for temporary files, which names the directory of -T',
      words: ['-o', place.output, '-T', disk, '-S', '1M', '--chunk-size', '64K'],
      again: ['-o', place.output, '-T', disk],
      says: /^gpusort: share-000. .*disk.*: No space left on device\n/,
    },
  ])('ends the sort with a message, and the same command resumes: $what', ({ words, again, says }) => {
    if (unmount === null) return;
    const isOutput = words.includes(output);
    if (isOutput) writeFileSync(output, 'old');
    try {
      writeFileSync(join(disk, 'full'), Buffer.alloc(words.includes('-T') ? 8 << 20 : 7 << 20));
    } catch {
      /* it is full */
    }
    const sort = (more: readonly string[]) =>
      gpusort(['--engine', 'cpu', '--cluster', 'local:2', '--tasks', '3', ...more, input]);
    const { status, stderr } = sort(words);
    expect(stderr.replace(/^gpusort: warning: .*\n/gm, '')).toMatch(says);
    expect(status).toBe(2);
    expect(existsSync(output) ? bytes(output) : null).toBe(isOutput ? 'old' : null);
    expect(existsSync(place.output)).toBe(false);
    rmSync(join(disk, 'full'));
    expect(sort(again)).toMatchObject({ status: 0, stderr: '' });
    const made = isOutput ? output : place.output;
    expect(bytes(made) === sortedText).toBe(true);
    rmSync(made);
    expect(readdirSync(disk)).toEqual([]);
  });
});
