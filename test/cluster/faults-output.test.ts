/** Outputs, names and disks of every kind. */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BINARY, environment, gpusort } from '../cli/run.js';
import { linesOf, Place } from './faulty.js';

const bytes = (name: string | Buffer): string => readFileSync(name, 'latin1');
const isRoot = process.getuid!() === 0;

describe('the output', () => {
  it('keeps its old contents until the end, and its mode', async () => {
    const place = new Place();
    writeFileSync(place.output, 'old');
    chmodSync(place.output, 0o640);
    const client = place.start(['range-', 'wait']);
    await place.happened(1);
    expect(bytes(place.output)).toBe('old');
    client.child.kill('SIGINT');
    await client.ended;
    expect(bytes(place.output)).toBe('old');
    expect(place.run()).toMatchObject({ status: 0, stderr: '' });
    place.expectSorted();
    expect(statSync(place.output).mode & 0o777).toBe(0o640);
  });

  it('that another file has replaced is left alone, and the sorted text is kept', async () => {
    const place = new Place();
    const client = place.start(['range-0001', 'wait']);
    await place.happened(1);
    writeFileSync(place.output, 'of another program');
    place.endFaults();
    const { stderr, status } = await client.ended;
    const kept = place.names().find((name) => name.startsWith('gpusort-sorted-'))!;
    expect(stderr).toBe(
      `gpusort: write failed: ${place.output}: another file has taken this name since the sort began\n` +
        `That file is unchanged; the complete sorted output is in ${join(place.directory, kept)}.\n`,
    );
    expect([status, bytes(place.output)]).toEqual([2, 'of another program']);
    expect(bytes(join(place.directory, kept)) === place.sorted).toBe(true);
    expect(place.names()).toEqual([kept, 'in', 'out']);
  });

  it('may be an input, a symbolic link, or have another name', () => {
    const place = new Place();
    renameSync(place.input, place.output);
    symlinkSync(place.output, place.input);
    expect(place.run()).toMatchObject({ status: 0, stderr: '' });
    place.expectSorted();
    writeFileSync(place.output, 'b\na\n');
    linkSync(place.output, join(place.directory, 'hard'));
    const link = join(place.directory, 'link');
    symlinkSync('out', link);
    const run = gpusort(['--engine', 'cpu', '--cluster', 'local:2', '--tasks', '2', '-o', link, place.output]);
    expect(run).toMatchObject({ status: 0, stderr: '' });
    expect([bytes(place.output), bytes(join(place.directory, 'hard'))]).toEqual(['a\nb\n', 'a\nb\n']);
    expect(place.names()).toEqual(['hard', 'in', 'link', 'out']);
  });

  it('must be a regular file', () => {
    const place = new Place();
    const fifo = join(place.directory, 'fifo');
    execFileSync('mkfifo', [fifo]);
    const refused = (name: string, message: string): void => {
      const run = gpusort(['--engine', 'cpu', '--cluster', 'local:2', '--tasks', '3', '-o', name, place.input]);
      expect(run).toMatchObject({ status: 2, stderr: `gpusort: ${message}\n`, stdout: '' });
    };
    refused(fifo, `--cluster cannot write ${fifo}: it is not a regular file\nName a file with -o.`);
    refused('/dev/null', '--cluster cannot write /dev/null: it is not a regular file\nName a file with -o.');
    refused('/dev/stdout', '--cluster cannot write /dev/stdout: it is not a regular file\nName a file with -o.');
    refused(place.directory, `open failed: ${place.directory}: Is a directory`);
    refused(
      '/no/out',
      'cannot create directory: /no/gpusort-out.job: No such file or directory\n' +
        'Name a directory that you may write and that all nodes see, with --work-dir.',
    );
    rmSync(fifo);
    expect(place.names()).toEqual(['in']);
  });
});

describe.skipIf(!isRoot)('another user', () => {
  /** Runs the client as the user nobody. */
  const nobody = (place: Place, ...args: string[]) => {
    const words = ['--reuid=65534', '--regid=65534', '--clear-groups', process.execPath, BINARY, '--engine', 'cpu'];
    const { status, stderr } = spawnSync(
      'setpriv',
      [...words, '--cluster', 'local:2', '--tasks', '3', ...args, place.input],
      { env: environment(), timeout: 60_000, encoding: 'latin1' },
    );
    return { status, stderr };
  };
  const open = (place: Place): void => {
    chmodSync(join(place.directory, '..'), 0o755);
    chmodSync(place.directory, 0o777);
  };
  const mayRun = spawnSync('setpriv', [
    '--reuid=65534',
    '--regid=65534',
    '--clear-groups',
    process.execPath,
    BINARY,
    '--version',
  ]);

  it.skipIf(mayRun.status !== 0)('may not write the output, or its directory', () => {
    const place = new Place();
    open(place);
    writeFileSync(place.output, 'old');
    expect(nobody(place, '-o', place.output)).toEqual({
      status: 2,
      stderr: `gpusort: open failed: ${place.output}: Permission denied\n`,
    });
    chmodSync(place.output, 0o666);
    chmodSync(place.directory, 0o755);
    expect(nobody(place, '-o', place.output).stderr).toMatch(
      /^gpusort: cannot create directory: .*: Permission denied\n/,
    );
    const work = join(place.directory, 'work');
    mkdirSync(work);
    chownSync(work, 65534, 65534);
    expect(nobody(place, '-o', place.output, '--work-dir', work)).toEqual({ status: 0, stderr: '' });
    place.expectSorted('work');
    expect(readdirSync(work)).toEqual([]);
    rmSync(place.output);
    const { status, stderr } = nobody(place, '-o', place.output, '--work-dir', work);
    expect(stderr).toMatch(/^gpusort: open failed: .*\/\.gpusort-[0-9a-f]+\.sorted: Permission denied\n/);
    expect([status, readdirSync(work), place.names()]).toEqual([2, [], ['in', 'work']]);
  });

  it.skipIf(mayRun.status !== 0)('may not read an input on a node', () => {
    const place = new Place();
    open(place);
    expect(place.prepare().status).toBe(0);
    execFileSync('chown', ['-R', '65534', place.job]);
    // As if the node had other permissions than the client.
    chmodSync(place.input, 0o600);
    const words = ['--reuid=65534', '--regid=65534', '--clear-groups', process.execPath, BINARY];
    const task = spawnSync('setpriv', [...words, '--cluster-task', join(place.job, 'share-0000')], {
      encoding: 'latin1',
    });
    expect(task).toMatchObject({ status: 2, stderr: `gpusort: cannot read: ${place.input}: Permission denied\n` });
    expect(bytes(join(place.job, 'errors/share-0000.json'))).toContain('Permission denied');
    execFileSync('chown', ['-R', '0', place.job]);
    const { stderr, status } = place.run();
    expect(stderr).toBe('');
    expect(status).toBe(0);
    place.expectSorted();
  });
});

describe('names', () => {
  const names: [string, Buffer][] = [
    ['blanks and quotes', Buffer.from('a \'b\' "c" $d `e` %s \\101 * ')],
    ['newlines', Buffer.from('x\ny\n')],
    ['bytes that are not UTF-8', Buffer.from([0xff, 0x20, 0x27, 0xfe, 0x0a, 0x80, 0x0a])],
    ['250 bytes', Buffer.alloc(250, 'n')],
    ['a dash', Buffer.from('-o')],
  ];
  it.each(names)('have %s', (_, name) => {
    const place = new Place();
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
    expect(stderr).toBe('');
    expect(status).toBe(0);
    expect(readFileSync(output, 'latin1') === place.sorted).toBe(true);
    expect(readdirSync(work, { encoding: 'buffer' })).toHaveLength(2);
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
  let unmount: (() => void) | null = null;
  const input = join(place.directory, 'large');
  const text = linesOf(200_000, 5);

  beforeAll(() => {
    unmount = mount(disk, '8m');
    writeFileSync(input, text.join(''));
    text.sort();
  });
  afterAll(() => unmount?.());
  /** Fills the disk, with at most so many bytes. */
  const fill = (most: number): void => {
    try {
      writeFileSync(join(disk, 'full'), Buffer.alloc(most));
    } catch {
      /* it is full */
    }
  };
  const sort = (...args: string[]) =>
    gpusort(['--engine', 'cpu', '--cluster', 'local:2', '--tasks', '3', ...args, input]);

  it('for the runs ends the sort with a message, and the same command goes on', () => {
    if (unmount === null) return;
    fill(7 << 20);
    const args = ['-o', place.output, '--work-dir', disk];
    const { status, stderr } = sort(...args);
    const lines = stderr.split('\n').filter((line) => !line.startsWith('gpusort: warning: '));
    // A task whose message finds no room either has it in its log.
    expect(lines[0]).toMatch(
      /^gpusort: share-000. (on .*|of this host ended with status 2): write failed: .*: No space left on device$/,
    );
    expect(lines[1]).toMatch(
      /^(Free space there: the sorted shares need as much as the input|All that it printed is in)/,
    );
    expect(lines[2]).toMatch(/^The same command goes on/);
    expect([status, lines.length, existsSync(place.output)]).toEqual([2, 4, false]);
    rmSync(join(disk, 'full'));
    expect(sort(...args)).toMatchObject({ status: 0, stderr: '' });
    expect(bytes(place.output) === text.join('')).toBe(true);
    expect(readdirSync(disk)).toEqual([]);
  });

  it('for the output ends the sort with a message, and keeps the old output', () => {
    if (unmount === null) return;
    const output = join(disk, 'out');
    writeFileSync(output, 'old');
    fill(7 << 20);
    const args = ['-o', output, '--work-dir', place.directory];
    const { status, stderr } = sort(...args);
    const lines = stderr.split('\n').filter((line) => !line.startsWith('gpusort: warning: '));
    expect(lines[0]).toMatch(
      /^gpusort: (range-000. (on .*|of this host ended with status 2): )?write failed: .*: No space left on device$/,
    );
    expect([status, bytes(output)]).toEqual([2, 'old']);
    rmSync(join(disk, 'full'));
    expect(sort(...args)).toMatchObject({ status: 0, stderr: '' });
    expect(bytes(output) === text.join('')).toBe(true);
    expect(readdirSync(disk)).toEqual(['out']);
    rmSync(output);
  });

  it('for temporary files names the directory of -T', () => {
    if (unmount === null) return;
    fill(8 << 20);
    const { status, stderr } = sort('-o', place.output, '-T', disk, '-S', '1M', '--chunk-size', '64K');
    expect(stderr).toMatch(/gpusort: share-000. .*disk.*: No space left on device\n/);
    expect([status, place.names().includes('gpusort-out.job')]).toEqual([2, true]);
    rmSync(join(disk, 'full'));
    expect(sort('-o', place.output, '-T', disk)).toMatchObject({ status: 0, stderr: '' });
    expect(bytes(place.output) === text.join('')).toBe(true);
  });
});
