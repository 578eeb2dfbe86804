/** The same command, run again with other options, other inputs and other clients: it resumes, or says why not. */
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { JobDirectory } from '../../src/cluster/directory.js';
import { readJob, readJson, writeJob, writeJson } from '../../src/cluster/job-file.js';
import { runTask } from '../../src/cluster/tasks.js';
import { GpusortError } from '../../src/system/errors.js';
import { fileSystem } from '../../src/system/file-system.js';
import { silent } from '../support/jobs.js';
import { type Act, ENDED, Place, RUNNING, StandIn } from './place.js';

const bytes = (name: string): string => readFileSync(name, 'latin1');

/** A place with a job, and the tasks of it that are done. */
async function begun(lines: number, ...tasks: string[]): Promise<Place> {
  const place = new Place(lines);
  expect(await place.prepare()).toMatchObject({ status: 0, stderr: '' });
  await place.tasks(...tasks);
  return place;
}

describe('an interrupted client', () => {
  it('reports the finished tasks, and the same command resumes', async () => {
    const place = new Place();
    for (const [last, message] of [
      ['share-0002', 'interrupted: 2 of 3 shares are done'],
      ['range-0002', 'interrupted: 3 of 3 shares and 2 of 3 ranges are done'],
    ]) {
      const controller = new AbortController();
      const before = existsSync(place.job) ? place.times() : {};
      const act: Act = (task) => {
        if (task !== last) return place.runs(task);
        controller.abort(new GpusortError('interrupted', 'interrupted'));
        return RUNNING;
      };
      const { stderr } = await place.here([], { act, signal: controller.signal });
      expect(stderr.split('\n')).toEqual([
        `gpusort: ${message}`,
        expect.stringMatching(
          /^Run the same command again to resume; to give up: rm -r .*\.job .*\/\.gpusort-.*\.sorted$/,
        ),
        '',
      ]);
      expect(place.times()).toMatchObject(before);
      expect(existsSync(join(place.job, 'client.json'))).toBe(false);
    }
    expect(await place.here()).toMatchObject({ status: 0, stderr: '', stdout: '' });
    place.expectSorted();
  });

  it('leaves nothing if no task was done', async () => {
    const place = new Place();
    const controller = new AbortController();
    const act: Act = () => {
      controller.abort(new GpusortError('interrupted', 'interrupted'));
      return RUNNING;
    };
    const { stderr } = await place.here([], { act, signal: controller.signal });
    expect(stderr).toBe('gpusort: interrupted: no task was done, and nothing is left behind\n');
    expect(place.names()).toEqual(['in']);
  });
});

describe('a job directory that somebody removes', () => {
  /** The end of the client if `remove` is called in the given task. */
  const ends = (place: Place, last: string, remove: () => void, args: readonly string[] = []) =>
    place.here(args, {
      act: (task) => {
        if (task === last) remove();
        return task === last ? ENDED : place.runs(task);
      },
    });

  it.each(['share-0001', 'range-0001'])('in %s leaves nothing', async (task) => {
    const place = new Place();
    const { status, stderr } = await ends(place, task, () => rmSync(place.job, { recursive: true }));
    expect(stderr).toMatch(
      /^gpusort: .*\n\S+\.job is gone, so the sort cannot continue\. It left nothing else behind\.\n$/,
    );
    expect([status, place.names()]).toEqual([2, ['in']]);
  });

  it('leaves no parts', async () => {
    const place = new Place();
    const remove = (): void => rmSync(place.job, { recursive: true });
    expect((await ends(place, 'range-0001', remove, ['--output-parts'])).status).toBe(2);
    expect(place.names()).toEqual(['in']);
  });

  it('leaves nothing if the client is interrupted', async () => {
    const place = new Place();
    const controller = new AbortController();
    const act: Act = () => {
      rmSync(place.job, { recursive: true, force: true });
      controller.abort(new GpusortError('interrupted', 'interrupted'));
      return RUNNING;
    };
    const { stderr } = await place.here([], { act, signal: controller.signal });
    expect(stderr).toContain(`${place.job} is gone, so the sort cannot continue.`);
    expect(place.names()).toEqual(['in']);
  });

  it('is reported together with the sorted text if both are gone', async () => {
    const place = new Place();
    const { stderr } = await ends(place, 'range-0001', () => {
      for (const name of place.names()) if (name !== 'in') rmSync(join(place.directory, name), { recursive: true });
    });
    expect(stderr).toMatch(/^gpusort: .*\n\S+\.job and \S+\.sorted are gone, or hidden by a mount\.\n$/);
  });

  it('is the subject of a warning if it cannot be removed', async () => {
    const place = new Place();
    const { removeTree } = fileSystem;
    const act: Act = (task) => {
      if (task === 'range-0001') {
        writeFileSync(place.output, 'of another program');
        fileSystem.removeTree = () => {
          throw Object.assign(new Error('injected'), { code: 'EIO' });
        };
      }
      return place.runs(task);
    };
    const { stderr } = await place.here([], { act }).finally(() => {
      fileSystem.removeTree = removeTree;
    });
    expect(stderr).toMatch(`gpusort: warning: cannot remove ${place.job}: Input/output error\n`);
  });
});

describe('a command for an existing job directory', () => {
  /** Checks that a command is refused, and changes nothing. */
  async function refused(place: Place, sentence: RegExp, args: readonly string[] = []): Promise<void> {
    const before = place.times();
    const { status, stderr } = await place.here(args);
    expect(stderr).toMatch(sentence);
    expect([status, place.times()]).toEqual([2, before]);
    expect(place.names().filter((name) => name.startsWith('.gpusort-'))).toHaveLength(1);
    expect(existsSync(join(place.job, 'client.json'))).toBe(false);
  }
  const OTHER =
    /^gpusort: .*\/gpusort-out\.job belongs to another sort, which is not finished\nFinish it by .* give it up \(rm -r .*\n$/;

  it('is refused with other options or inputs', async () => {
    const place = await begun(100, 'share-0000');
    for (const option of ['-r', '-u', '-k1,1n', '--count', '--top=3', '-z', '--header=1', '--output-format=gzip'])
      await refused(place, OTHER, [option]);
    const added = join(place.directory, 'added');
    copyFileSync(place.input, added);
    await refused(place, OTHER, [added]);
  });

  it('is refused if an input has changed or is gone', async () => {
    const place = await begun(100, 'share-0000');
    const changed =
      /^gpusort: .*\/in has changed since the sort in .*\.job began\nGive up that sort \(rm -r .*\) and run this command again\.\n$/;
    const [text, { atime, mtime }] = [readFileSync(place.input), statSync(place.input)];
    utimesSync(place.input, atime, new Date(0));
    await refused(place, changed);
    writeFileSync(place.input, `${text.toString()}x\n`);
    await refused(place, changed);
    copyFileSync(place.input, `${place.input}.copy`);
    rmSync(place.input);
    await refused(place, /^gpusort: cannot read: .*\/in: No such file or directory\n$/);
    // Another file of the same size and time.
    writeFileSync(place.input, text);
    utimesSync(place.input, atime, mtime);
    await refused(place, changed);
  });

  it('is refused by another version', async () => {
    const place = await begun(100);
    const directory = new JobDirectory(Buffer.from(place.job));
    await writeJob(directory, { ...readJob(directory)!, version: '0.0.1' });
    await refused(place, /^gpusort: .*\.job was made by gpusort 0\.0\.1, and this is gpusort [0-9.]+\nUse /);
  });

  it('is refused for an output of the same name in another directory', async () => {
    const [one, two] = [new Place(100), new Place(100)];
    const work = ['--work-dir', one.directory];
    expect((await one.prepare(work)).status).toBe(0);
    const { status, stderr } = await two.prepare(work);
    expect(stderr).toMatch(/belongs to another sort/);
    expect([status, two.names()]).toEqual([2, ['in']]);
  });

  it('resumes with options that do not affect the output, and other spellings of names', async () => {
    const place = await begun(3000, 'share-0000', 'share-0001');
    const before = place.times();
    const cwd = place.folder('sub');
    const home = process.cwd();
    process.chdir(cwd);
    try {
      const options = ['-S', '20M', '--parallel', '1', '--tasks', '7', '-T', place.directory, '--sync'];
      const words = ['--engine', 'cpu', '--cluster', 'local:1', ...options, '-o', '../out', '../in'];
      const submitted: string[] = [];
      const act: Act = (task) => {
        submitted.push(task);
        expect(place.times()).toMatchObject(before);
        return place.runs(task);
      };
      const { status, stderr } = await place.command(words, { act });
      expect(stderr).toMatch(/^gpusort: warning: --tasks 7 is ignored: .*\.job has 3 shares already\n$/);
      expect({ status, first: submitted[0] }).toEqual({ status: 0, first: 'share-0002' });
    } finally {
      process.chdir(home);
    }
    place.expectSorted('sub');
  });

  it.each([
    [['--csv', '-k', 'price:n'], 'id,price\na,3\nb,1\n'],
    [['-R'], 'a\nb\nc\n'],
    [
      ['--format=vcf'],
      '##fileformat=VCFv4.2\n##contig=<ID=2>\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n2\t1\t.\tA\tC\t.\t.\t.\n',
    ],
    [['--header=1', '--output-format=gzip', '-t', ',', '-k2,2gr'], 'id,price\na,3\nb,1\n'],
  ])('resumes with %j, although the output depends on headers or chance', async (options, text) => {
    const place = new Place();
    writeFileSync(place.input, text);
    const jobAfter = async (): Promise<string> => {
      expect(await place.prepare(options)).toMatchObject({ status: 0, stderr: '' });
      return bytes(join(place.job, 'job.json'));
    };
    expect(await jobAfter()).toBe(await jobAfter());
  });

  it('writes the output text again if somebody has removed it', async () => {
    const ranges = ['range-0000', 'range-0001', 'range-0002'];
    const place = await begun(50_000, 'share-0000', 'share-0001', 'share-0002', 'splitters', ...ranges);
    rmSync(place.text());
    const { status, stderr } = await place.here();
    expect(stderr).toMatch(/^gpusort: warning: .*\.sorted is gone: 3 ranges must be written again\n$/);
    expect(status).toBe(0);
    place.expectSorted();
  });

  it('starts over in a half-made or half-removed directory', async () => {
    const place = await begun(3000, 'share-0000');
    writeFileSync(join(place.job, 'shares/0000.run'), 'of another sort');
    rmSync(join(place.job, 'job.json'));
    writeFileSync(join(place.job, 'job.json.host-1.tmp'), '{');
    const [text] = place.names().filter((name) => name.endsWith('.sorted'));
    expect(await place.here()).toMatchObject({ status: 0, stderr: '' });
    place.expectSorted(text);
  });

  it('does not wait if the directory is not a job', async () => {
    const place = new Place();
    mkdirSync(join(place.job, 'shares'), { recursive: true });
    writeFileSync(join(place.job, 'shares/thesis'), 'x');
    expect(await place.here()).toMatchObject({
      status: 2,
      stderr:
        `gpusort: ${place.job} exists and is not a job directory: it has ${place.job}/shares/thesis\n` +
        'Name another directory with --work-dir, or move this one away.\n',
    });
    expect(readdirSync(place.job, { recursive: true }).sort()).toEqual(['shares', 'shares/thesis']);
    expect(place.names()).toEqual(['gpusort-out.job', 'in']);
    rmSync(place.job, { recursive: true });
    writeFileSync(place.job, '');
    expect((await place.here()).stderr).toMatch(/^gpusort: .*\.job exists and is not a job directory/);
  });
});

describe('a client that is killed after it has put parts in place', () => {
  /** Makes the directory as that client leaves it. */
  async function finished(): Promise<Place> {
    const place = new Place();
    expect((await place.prepare(['--output-parts'])).status).toBe(0);
    const text = place.text();
    writeFileSync(join(text, 'manifest.json'), '{}');
    const { ino, size, mtimeNs } = statSync(text, { bigint: true });
    const { id } = readJson(Buffer.from(join(place.job, 'job.json'))) as { id: string };
    await writeJson(Buffer.from(join(place.job, 'finished.json')), { id, identity: `${ino}:${size}:${mtimeNs}` });
    renameSync(text, place.output);
    return place;
  }

  it('leaves only a directory that the same command removes', async () => {
    const place = await finished();
    expect(await place.here(['--output-parts'])).toMatchObject({ status: 0, stderr: '' });
    expect([place.names(), readdirSync(place.output)]).toEqual([['in', 'out'], ['manifest.json']]);
    const { status, stderr } = await place.here(['--output-parts']);
    expect([status, stderr.split('\n')[0]]).toEqual([2, `gpusort: ${place.output} is not empty`]);
  });

  it('does not count as finished if another program has replaced the output', async () => {
    const place = await finished();
    rmSync(place.output, { recursive: true });
    mkdirSync(place.output);
    writeFileSync(join(place.output, 'thesis'), 'x');
    const { status, stderr } = await place.here(['--output-parts']);
    expect([status, stderr.split('\n')[0]]).toEqual([2, `gpusort: ${place.output} is not empty`]);
    expect(readdirSync(place.output)).toEqual(['thesis']);
  });
});

describe('the lock of another client', () => {
  const maker = {
    boot: bytes('/proc/sys/kernel/random/boot_id').trim().replaceAll('-', '').slice(0, 12),
    namespace: String(statSync('/proc/self/ns/pid').ino),
    pid: String(process.pid),
    start: '1',
  };

  it.each([
    { what: 'is kept on another host', lock: { host: 'other', pid: 1, maker: null }, owner: 'process 1 on other' },
    {
      what: 'is kept while its process lives',
      lock: { host: hostname(), pid: process.pid, maker: null },
      owner: `process ${process.pid} on ${hostname()}`,
    },
    { what: 'is taken over from a process whose number another one has', lock: { host: hostname(), pid: 1, maker } },
    { what: 'is taken over if it is damaged', lock: null },
  ])('$what', async ({ lock, owner }) => {
    const place = await begun(100);
    const name = join(place.job, 'client.json');
    writeFileSync(name, lock === null ? '' : JSON.stringify(lock));
    const { status, stderr } = await place.here();
    if (owner === undefined) {
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
      return place.expectSorted();
    }
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: `gpusort: another gpusort (${owner}) is using ${place.job}\nWait for it, or end it. If it is gone: rm ${name}\n`,
    });
  });
});

describe('a task', () => {
  it('that is done is not repeated', async () => {
    const place = await begun(100, 'share-0000');
    const before = place.times();
    await new Promise((resolve) => setTimeout(resolve, 10));
    await place.tasks('share-0000');
    expect(place.times()).toEqual(before);
  });

  it('fails if an input changes while it is read', async () => {
    const place = await begun(3000);
    const advance = (): void => appendFileSync(place.input, 'x\n');
    const task = runTask(Buffer.from(join(place.job, 'share-0000')), {}, Buffer.from('/tmp'), { ...silent, advance });
    await expect(task).rejects.toMatchObject({ code: 'input-changed' });
    expect(place.times()).toEqual({});
  });

  it('uses TMPDIR of its node, unless -T is given', async () => {
    const place = await begun(50_000);
    const overrides = { memoryBytes: 100 << 10, chunkBytes: 10 << 10 };
    const missing = Buffer.from(join(place.directory, 'of this node'));
    const task = (): Promise<void> => runTask(Buffer.from(join(place.job, 'share-0000')), overrides, missing, silent);
    await expect(task()).rejects.toThrow(/of this node.*: No such file or directory/);
    expect((await place.prepare(['-T', place.directory])).status).toBe(0);
    await task();
  });
});

it.each([
  ['a file', []],
  ['parts', ['--output-parts']],
])('makes $0 under a umask that allows nothing', async (_, args) => {
  const place = new Place();
  const entries: string[] = [];
  const umask = process.umask(0o777);
  try {
    const act: Act = async (task) => {
      const state = await place.runs(task);
      // The rights of root say nothing about other users.
      for (const name of readdirSync(place.directory, { recursive: true, encoding: 'utf8' })) {
        const stat = statSync(join(place.directory, name));
        const needed = stat.isDirectory() ? 0o700 : 0o600;
        if ((stat.mode & needed) !== needed) entries.push(name);
      }
      return state;
    };
    expect(await place.here(args, { act })).toMatchObject({ status: 0, stderr: '' });
  } finally {
    process.umask(umask);
  }
  expect(entries).toEqual([]);
  if (args.length === 0) expect(statSync(place.output).mode & 0o777).toBe(0);
});

describe('the output', () => {
  it('keeps its old contents until the end, and its mode', async () => {
    const place = new Place();
    writeFileSync(place.output, 'old');
    chmodSync(place.output, 0o640);
    const act: Act = (task) => {
      expect(bytes(place.output)).toBe('old');
      return place.runs(task);
    };
    expect(await place.here([], { act })).toMatchObject({ status: 0, stderr: '' });
    place.expectSorted();
    expect(statSync(place.output).mode & 0o777).toBe(0o640);
  });

  it('that another file has replaced is left alone, and the sorted text is kept', async () => {
    const place = new Place();
    const act: Act = (task) => {
      if (task === 'range-0001') writeFileSync(place.output, 'of another program');
      return place.runs(task);
    };
    const { stderr, status } = await place.here([], { act });
    const kept = place.names().find((name) => name.startsWith('gpusort-sorted-'))!;
    expect(stderr).toBe(
      `gpusort: write failed: ${place.output}: another file has taken this name since the sort began\n` +
        `That file was left alone; the complete sorted output is in ${join(place.directory, kept)}.\n`,
    );
    expect([status, bytes(place.output)]).toEqual([2, 'of another program']);
    expect(bytes(join(place.directory, kept)) === place.sorted).toBe(true);
    expect(place.names()).toEqual([kept, 'in', 'out']);
  });

  it('may be an input, a symbolic link, or have another name', async () => {
    const place = new Place();
    renameSync(place.input, place.output);
    symlinkSync(place.output, place.input);
    expect(await place.here()).toMatchObject({ status: 0, stderr: '' });
    place.expectSorted();
    writeFileSync(place.output, 'b\na\n');
    const [hard, link] = ['hard', 'link'].map((name) => join(place.directory, name));
    linkSync(place.output, hard);
    symlinkSync('out', link);
    const words = ['--engine', 'cpu', '--cluster', 'local:2', '--tasks', '2', '-o', link, place.output];
    const scheduler = new StandIn((task) => place.runs(task));
    expect(await place.command(words, { scheduler })).toMatchObject({ status: 0, stderr: '' });
    expect([bytes(place.output), bytes(hard)]).toEqual(['a\nb\n', 'a\nb\n']);
    expect(place.names()).toEqual(['hard', 'in', 'link', 'out']);
  });

  it.each([
    ['fifo', (name: string) => `--cluster cannot write ${name}: it is not a regular file\nName a file with -o.`],
    ['/dev/null', (name: string) => `--cluster cannot write ${name}: it is not a regular file\nName a file with -o.`],
    ['/dev/stdout', (name: string) => `--cluster cannot write ${name}: it is not a regular file\nName a file with -o.`],
    ['/tmp', () => 'open failed: /tmp: Is a directory'],
    [
      '/no/out',
      () =>
        'cannot create directory: /no/gpusort-out.job: No such file or directory\n' +
        'Name a directory that you may write and that all nodes see, with --work-dir.',
    ],
  ])('must be a regular file: %s', async (name, message) => {
    const place = new Place();
    execFileSync('mkfifo', [join(place.directory, 'fifo')]);
    const output = resolve(place.directory, name);
    const words = ['--engine', 'cpu', '--cluster', 'local:2', '--tasks', '3', '-o', output, place.input];
    expect(await place.command(words)).toMatchObject({
      status: 2,
      stderr: `gpusort: ${message(output)}\n`,
      stdout: '',
    });
    expect(place.names()).toEqual(['fifo', 'in']);
  });
});
