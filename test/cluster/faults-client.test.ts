/** Clients that are interrupted, killed, or not alone; the same command again. */
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { JobDirectory } from '../../src/cluster/directory.js';
import { readJob, writeJob } from '../../src/cluster/job-file.js';
import { readJson, writeJson } from '../../src/cluster/json-file.js';
import { gpusort } from '../cli/run.js';
import { hasEnded, Place, type Running } from './faulty.js';

/** Job files are written, too. */
const SLOW_WRITES = fileURLToPath(new URL('../support/slow-writes.cjs', import.meta.url));

const pidsOf = (faults: readonly string[]): number[] => faults.map((line) => Number.parseInt(line, 10));

async function allEnded(pids: readonly number[]): Promise<void> {
  await expect.poll(() => pids.every(hasEnded), { timeout: 5000, interval: 50 }).toBe(true);
}

/** When each file of the job directory was written. */
function times(place: Place): Record<string, number> {
  const names = (readdirSync(place.job, { recursive: true }) as string[]).filter((name) => /\.(run|index)$/.test(name));
  return Object.fromEntries(names.sort().map((name) => [name, statSync(join(place.job, name)).mtimeMs]));
}

describe('an interrupted client', () => {
  it.each([
    ['SIGINT', 'share-0002', /^gpusort: interrupted: 2 of 3 shares are done\n/],
    ['SIGTERM', 'range-', /^gpusort: interrupted: 3 of 3 shares are done\n/],
    ['SIGHUP', 'share-0001', /^gpusort: interrupted: [12] of 3 shares are done\n/],
  ] as const)('ends its tasks at %s, says what is done, and goes on later', async (signal, task, message) => {
    const place = new Place();
    const client = place.start([task, 'wait']);
    const [line] = await place.happened(1);
    await expect.poll(() => times(place)['shares/0000.index'], { interval: 20, timeout: 20_000 }).toBeDefined();
    if (signal === 'SIGINT')
      await expect.poll(() => times(place)['shares/0001.index'], { interval: 20, timeout: 20_000 }).toBeDefined();
    // A terminal signals the whole group.
    process.kill(-client.child.pid!, signal);
    const { signal: by, stderr, stdout } = await client.ended;
    expect(by).toBe(signal);
    expect(stderr).toMatch(message);
    expect(stderr.split('\n')[1]).toMatch(
      /^The same command goes on; to give up: rm -r .*\.job .*\/\.gpusort-.*\.sorted$/,
    );
    expect([stderr.split('\n').length, stdout]).toEqual([3, '']);
    expect(hasEnded(Number.parseInt(line, 10))).toBe(true);
    expect(place.temporary()).toEqual([]);
    const before = times(place);
    const faults = (await place.happened(1)).length;
    const again = place.start(['range-', 'wait']);
    await place.happened(faults + 1);
    expect(times(place)).toMatchObject(before);
    again.child.kill('SIGINT');
    await again.ended;
    expect(place.run()).toMatchObject({ status: 0, stderr: '', stdout: '' });
    place.expectSorted();
  });

  it('leaves nothing if nothing was done', async () => {
    const place = new Place();
    const client = place.start(['share-', 'wait']);
    await place.happened(2);
    client.child.kill('SIGINT');
    const { signal, stderr } = await client.ended;
    expect([signal, stderr]).toEqual([
      'SIGINT',
      'gpusort: interrupted: no task was done yet, and nothing is left of the others\n',
    ]);
    expect(place.names()).toEqual(['in']);
    await allEnded(pidsOf(await place.happened(2)));
  });

  it('leaves nothing if it has not made the job directory yet', async () => {
    const place = new Place();
    const client = place.start(null, [], { NODE_OPTIONS: `--require=${SLOW_WRITES}` });
    await expect.poll(() => existsSync(join(place.job, 'client.json')), { timeout: 10_000, interval: 5 }).toBe(true);
    client.child.kill('SIGTERM');
    expect(await client.ended).toMatchObject({ signal: 'SIGTERM', stdout: '', stderr: '' });
    expect(place.names()).toEqual(['in']);
  });

  it('ends at once at a second signal', async () => {
    const place = new Place();
    const client = place.start(['share-', 'wait']);
    const pids = pidsOf(await place.happened(2));
    for (const pid of pids) process.kill(pid, 'SIGSTOP');
    client.child.kill('SIGINT');
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(client.child.signalCode).toBeNull();
    const begin = performance.now();
    client.child.kill('SIGINT');
    expect((await client.ended).signal).toBe('SIGINT');
    expect(performance.now() - begin).toBeLessThan(1500);
    await allEnded(pids);
    expect(existsSync(join(place.job, 'client.json'))).toBe(false);
    expect(place.run()).toMatchObject({ status: 0, stderr: '' });
    place.expectSorted();
  });

  it('that is killed takes its tasks with it, and the same command goes on', async () => {
    const place = new Place();
    const client = place.start(['share-0001', 'wait']);
    const pids = pidsOf(await place.happened(1));
    await expect.poll(() => Object.keys(times(place)).length, { interval: 20 }).toBeGreaterThanOrEqual(2);
    client.child.kill('SIGKILL');
    await client.ended;
    const before = times(place);
    await allEnded(pids);
    expect(place.temporary()).toEqual([]);
    expect(existsSync(join(place.job, 'client.json'))).toBe(true);
    const again = place.start(['range-0000', 'wait']);
    await place.happened(2);
    expect(times(place)).toMatchObject(before);
    again.child.kill('SIGKILL');
    await again.ended;
    expect(place.run()).toMatchObject({ status: 0, stderr: '' });
    place.expectSorted();
  });
});

describe('the same command', () => {
  const place = new Place();
  const refused = (sentence: RegExp, args: readonly string[] = []): void => {
    const before = times(place);
    const { status, stderr } = place.run(args);
    expect(stderr).toMatch(sentence);
    expect([status, times(place)]).toEqual([2, before]);
    expect(place.names().filter((name) => name.startsWith('.gpusort-'))).toHaveLength(1);
    expect(existsSync(join(place.job, 'client.json'))).toBe(false);
  };

  it('is refused with other options or inputs', () => {
    expect(place.prepare().status).toBe(0);
    place.tasks('share-0000');
    const other =
      /^gpusort: .*\/gpusort-out\.job belongs to another sort, which is not finished\nFinish it by .* give it up \(rm -r .*\n$/;
    for (const option of ['-r', '-u', '-k1,1n', '--count', '--top=3', '-z']) refused(other, [option]);
    const added = join(place.directory, 'added');
    copyFileSync(place.input, added);
    refused(other, [added]);
    rmSync(added);
  });

  it('is refused if an input has changed', () => {
    const changed =
      /^gpusort: .*\/in has changed since the sort in .*\.job began\nGive that sort up \(rm -r .*\) and run this command again\.\n$/;
    const [text, { atime, mtime }] = [readFileSync(place.input), statSync(place.input)];
    utimesSync(place.input, atime, new Date(0));
    refused(changed);
    writeFileSync(place.input, `${text.toString()}x\n`);
    refused(changed);
    writeFileSync(place.input, text);
    copyFileSync(place.input, `${place.input}.copy`);
    rmSync(place.input);
    refused(/^gpusort: cannot read: .*\/in: No such file or directory\n$/);
    copyFileSync(`${place.input}.copy`, place.input);
    utimesSync(place.input, atime, mtime);
    refused(changed);
    rmSync(`${place.input}.copy`);
  });

  it('is refused by another version', async () => {
    const other = new Place();
    expect(other.prepare().status).toBe(0);
    const directory = new JobDirectory(Buffer.from(other.job));
    await writeJob(directory, { ...readJob(directory)!, version: '0.0.1' });
    const { status, stderr } = other.run();
    expect(stderr).toMatch(/^gpusort: .*\.job was made by gpusort 0\.0\.1, and this is gpusort [0-9.]+\nUse /);
    expect(status).toBe(2);
  });

  it('goes on with options that do not decide the output, and inputs of other spelling', () => {
    const one = new Place();
    expect(one.prepare().status).toBe(0);
    one.tasks('share-0000', 'share-0001');
    const args = [
      '-S',
      '20M',
      '--parallel',
      '1',
      '--tasks',
      '7',
      '--progress',
      'always',
      '-T',
      one.directory,
      '--sync',
    ];
    const cwd = join(one.directory, 'sub');
    mkdirSync(cwd);
    const { status, stderr } = gpusort(
      ['--engine', 'cpu', '--cluster', 'local:1', ...args, '-o', '../out', relative(cwd, one.input)],
      { cwd },
    );
    expect(stderr).toMatch(/^gpusort: warning: --tasks 7 is ignored: .*\.job has 3 shares already\n/);
    expect(status).toBe(0);
    one.expectSorted('sub');
  });

  it.each([
    [['--csv', '-k', 'price:n'], 'id,price\na,3\nb,1\n'],
    [['-R'], 'a\nb\nc\n'],
    [
      ['--format=vcf'],
      '##fileformat=VCFv4.2\n##contig=<ID=2>\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n2\t1\t.\tA\tC\t.\t.\t.\n',
    ],
    [['--header=1', '--output-format=gzip', '-t', ',', '-k2,2gr'], 'id,price\na,3\nb,1\n'],
  ])('goes on with %j, although headers and chance decide the output too', (options, text) => {
    const one = new Place();
    writeFileSync(one.input, text);
    expect(one.prepare(options)).toMatchObject({ status: 0, stderr: '' });
    const job = readFileSync(join(one.job, 'job.json'), 'latin1');
    expect(one.prepare(options)).toMatchObject({ status: 0, stderr: '' });
    expect(readFileSync(join(one.job, 'job.json'), 'latin1')).toBe(job);
  });

  it('asks each node for TMPDIR, unless -T is given', () => {
    const one = new Place(50_000);
    expect(one.prepare().status).toBe(0);
    const words = [
      '--engine',
      'cpu',
      '-S',
      '100K',
      '--chunk-size',
      '10K',
      '--cluster-task',
      join(one.job, 'share-0000'),
    ];
    const env = { TMPDIR: join(one.directory, 'of this node') };
    expect(gpusort(words, { env }).stderr).toMatch(/^gpusort: .*of this node.*: No such file or directory\n/);
    expect(one.prepare(['-T', one.directory]).status).toBe(0);
    expect(gpusort(words, { env })).toMatchObject({ status: 0, stderr: '' });
  });

  it('is refused for an output of the same name in another directory', () => {
    const [one, two] = [new Place(), new Place()];
    expect(one.prepare(['--work-dir', one.directory]).status).toBe(0);
    copyFileSync(one.input, two.input);
    const { status, stderr } = gpusort([
      '--cluster',
      'prepare',
      '--tasks',
      '3',
      '--work-dir',
      one.directory,
      '-o',
      two.output,
      one.input,
    ]);
    expect(stderr).toMatch(/belongs to another sort/);
    expect([status, two.names()]).toEqual([2, ['in']]);
  });

  it('makes the text of the output again if somebody has removed it', () => {
    const one = new Place(50_000);
    expect(one.prepare().status).toBe(0);
    one.tasks('share-0000', 'share-0001', 'share-0002', 'splitters', 'range-0000', 'range-0001', 'range-0002');
    const text = one.names().find((name) => name.endsWith('.sorted'))!;
    rmSync(join(one.directory, text));
    const { status, stderr } = one.run();
    expect(stderr).toMatch(/^gpusort: warning: .*\.sorted is gone: 3 ranges must be written again\n$/);
    expect(status).toBe(0);
    one.expectSorted();
  });

  it('removes what a client has left that was killed after it had put parts in place', async () => {
    const one = new Place();
    expect(one.prepare(['--output-parts']).status).toBe(0);
    const [text] = one.names().filter((name) => name.endsWith('.parts'));
    writeFileSync(join(one.directory, text!, 'manifest.json'), '{}');
    const { ino, size, mtimeNs } = statSync(join(one.directory, text!), { bigint: true });
    const { id } = readJson(Buffer.from(join(one.job, 'job.json'))) as { id: string };
    await writeJson(Buffer.from(join(one.job, 'finished.json')), { id, identity: `${ino}:${size}:${mtimeNs}` });
    renameSync(join(one.directory, text!), one.output);
    expect(one.run(['--output-parts'])).toMatchObject({ status: 0, stderr: '' });
    expect([one.names(), readdirSync(one.output)]).toEqual([['in', 'out'], ['manifest.json']]);
    const { status, stderr } = one.run(['--output-parts']);
    expect([status, stderr.split('\n')[0]]).toEqual([2, `gpusort: ${one.output} is not empty`]);
  });

  it('begins again in a directory that is half made, or half removed', () => {
    const one = new Place();
    expect(one.prepare().status).toBe(0);
    one.tasks('share-0000');
    writeFileSync(join(one.job, 'shares/0000.run'), 'of another sort');
    rmSync(join(one.job, 'job.json'));
    writeFileSync(join(one.job, 'job.json.host-1.tmp'), '{');
    const [text] = one.names().filter((name) => name.endsWith('.sorted'));
    expect(one.run()).toMatchObject({ status: 0, stderr: '' });
    one.expectSorted(text);
  });
});

describe('a job directory', () => {
  it('of another client is refused, and of a dead one taken over', async () => {
    const place = new Place();
    const client: Running = place.start(['share-0001', 'wait']);
    await place.happened(1);
    const { status, stderr } = place.run();
    expect(stderr).toBe(
      `gpusort: another gpusort (process ${client.child.pid} on ${hostname()}) works with ${place.job}\n` +
        `Wait for it, or end it. If it is gone: rm ${place.job}/client.json\n`,
    );
    expect(status).toBe(2);
    // A client that ends before any task is done leaves no directory.
    await expect.poll(() => times(place)['shares/0000.index'], { interval: 20, timeout: 20_000 }).toBeDefined();
    client.child.kill('SIGINT');
    await client.ended;
    const lock = join(place.job, 'client.json');
    writeFileSync(lock, JSON.stringify({ host: 'other', pid: 1, maker: null }));
    expect(place.run().stderr).toMatch(/^gpusort: another gpusort \(process 1 on other\) works with .*\nWait for it/);
    // The number of a process that has ended, and that another has now.
    const maker = { boot: readBoot(), namespace: namespaceOf(), pid: String(process.pid), start: '1' };
    writeFileSync(lock, JSON.stringify({ host: hostname(), pid: process.pid, maker }));
    expect(place.run()).toMatchObject({ status: 0, stderr: '' });
    place.expectSorted();
  });

  it('with a damaged lock is taken over', () => {
    const place = new Place();
    expect(place.prepare().status).toBe(0);
    writeFileSync(join(place.job, 'client.json'), '');
    expect(place.run()).toMatchObject({ status: 0, stderr: '' });
    place.expectSorted();
  });

  it('that is none is left alone', () => {
    const place = new Place();
    mkdirSync(join(place.job, 'shares'), { recursive: true });
    writeFileSync(join(place.job, 'shares/thesis'), 'x');
    const { status, stderr } = place.run();
    expect(stderr).toBe(
      `gpusort: ${place.job} exists and is not a job directory: it has ${place.job}/shares/thesis\n` +
        'Name another directory with --work-dir, or move this one away.\n',
    );
    expect(status).toBe(2);
    expect(readdirSync(place.job, { recursive: true }).sort()).toEqual(['shares', 'shares/thesis']);
    expect(place.names()).toEqual(['gpusort-out.job', 'in']);
    rmSync(place.job, { recursive: true });
    writeFileSync(place.job, '');
    expect(place.run().stderr).toMatch(/^gpusort: .*\.job exists and is not a job directory/);
  });
});

const readBoot = (): string =>
  readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim().replaceAll('-', '').slice(0, 12);
const namespaceOf = (): string => String(statSync('/proc/self/ns/pid').ino);
