/** A temporary file's name: removed at once or when the store is closed; and the warning if the system refuses. */
import { mkdtempSync, readdirSync, realpathSync, rmSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCleanups } from '../../src/report/cleanup.js';
import { showWarnings } from '../../src/report/warnings.js';
import { runJob } from '../../src/run/run-job.js';
import { TemporaryStore } from '../../src/runs/store.js';
import { fileSystem } from '../../src/system/file-system.js';
import { job, silent } from '../support/jobs.js';
import { LONGEST_PATH, longDirectory } from '../support/long-path.js';

const saved = { ...fileSystem };
let directory = '';
let warnings: string[] = [];
beforeEach(() => {
  directory = mkdtempSync(join(process.env.GPUSORT_TEST_TMP ?? tmpdir(), 'names-'));
  warnings = [];
  showWarnings((sentence) => {
    warnings.push(sentence);
  });
});
afterEach(() => {
  Object.assign(fileSystem, saved);
  rmSync(directory, { recursive: true });
});

const systemError = (code: string): Error => Object.assign(new Error(code), { code });
/** Makes the first `times` calls of unlink on temporary files fail. */
function refuseUnlink(times: number, code: string): void {
  let left = times;
  fileSystem.unlinkSync = (name) => {
    if (String(name).includes('.gpusort-') && left-- > 0) throw systemError(code);
    saved.unlinkSync(name);
  };
}
const names = (): string[] => readdirSync(directory).filter((name) => name.startsWith('.gpusort-'));

async function filled(directories: readonly string[] = [directory]): Promise<TemporaryStore> {
  const store = new TemporaryStore(directories.map((name) => Buffer.from(name)));
  for (const _ of directories) await store.create(null).write(Buffer.alloc(10));
  return store;
}

it('removes the name of a temporary file as soon as the file is open', async () => {
  const store = await filled();
  expect(names()).toEqual([]);
  store.close();
  expect(warnings).toEqual([]);
});

it.runIf(process.platform === 'linux')('accepts a directory whose path is as long as the system allows', async () => {
  const store = await filled([longDirectory(directory, LONGEST_PATH)]);
  store.close();
  expect(warnings).toEqual([]);
});

describe('a name that cannot be removed from an open file', () => {
  it('removes the name of a temporary file when the store is closed, if it could not earlier', async () => {
    refuseUnlink(1, 'EPERM');
    const store = await filled();
    expect(names()).toHaveLength(1);
    expect(statSync(join(directory, names()[0])).mode & 0o7777).toBe(0o600);
    store.close();
    expect(names()).toEqual([]);
    runCleanups();
    expect(warnings).toEqual([]);
  });

  it('removes the name of a temporary file when a signal arrives, if it could not earlier', async () => {
    refuseUnlink(1, 'EBUSY');
    const store = await filled();
    expect(names()).toHaveLength(1);
    runCleanups();
    expect(names()).toEqual([]);
    store.close();
  });

  it.each(['EIO', 'EPERM', 'EACCES'])(
    'warns once for all directories if names of temporary files remain (%s)',
    async (code) => {
      refuseUnlink(Infinity, code);
      const second = mkdtempSync(join(directory, 'b-'));
      const store = await filled([directory, second]);
      store.close();
      runCleanups();
      expect(warnings).toHaveLength(1);
      expect(warnings[0]).toMatch(
        /^cannot remove temporary file: \/.*\/\.gpusort-[\w-]+: (Input\/output error|Operation not permitted|Permission denied)$/,
      );
    },
  );

  it('warns if another program removes the name of a temporary file', async () => {
    refuseUnlink(1, 'EIO');
    const store = await filled();
    unlinkSync(join(directory, names()[0]));
    store.close();
    expect(warnings).toEqual([expect.stringMatching(/: No such file or directory$/)]);
  });

  it('writes the output although the name of a temporary file remains', async () => {
    const temporary = mkdtempSync(join(directory, 't-'));
    fileSystem.unlinkSync = (name) => {
      if (realpathSync(dirname(String(name))) === realpathSync(temporary)) throw systemError('EIO');
      saved.unlinkSync(name);
    };
    const input = join(directory, 'input');
    writeFileSync(input, Array.from({ length: 3000 }, (_, i) => `${(i * 7919) % 3001}\n`).join(''));
    const requested = job({
      inputs: [Buffer.from(input)],
      output: Buffer.from(join(directory, 'output')),
      engine: 'cpu',
      parallel: 1,
      memoryBytes: 1,
      chunkBytes: 2048,
      temporaryDirectories: [Buffer.from(temporary)],
    });
    expect(await runJob(requested, silent)).toBe(0);
    expect(statSync(join(directory, 'output')).size).toBe(statSync(input).size);
    expect(warnings).toEqual([expect.stringMatching(/^cannot remove temporary file: .*: Input\/output error$/)]);
  });
});

describe('a file that cannot be created', () => {
  it.each([
    ['ENOENT', 'No such file or directory', 'Name a writable directory with -T.'],
    ['EACCES', 'Permission denied', 'Name a writable directory with -T.'],
    ['EROFS', 'Read-only file system', 'Name a writable directory with -T.'],
    ['ENOSPC', 'No space left on device', 'Name a directory with more space with -T.'],
    ['EDQUOT', 'Disk quota exceeded', 'Name a directory with more space with -T.'],
    ['EMFILE', 'Too many open files', 'Raise the limit on open files (ulimit -n).'],
    ['EIO', 'Input/output error', undefined],
    ['ENFILE', 'Too many open files in system', undefined],
  ])('reports with a remedy why a temporary file cannot be created: %s', (code, text, hint) => {
    fileSystem.openSync = () => {
      throw systemError(code);
    };
    const store = new TemporaryStore([Buffer.from(directory)]);
    expect(() => store.create(null)).toThrow(
      expect.objectContaining({
        code: 'no-temporary-space',
        exitCode: 2,
        message: `cannot create temporary file in '${directory}': ${text}`,
        hint,
      }),
    );
    store.close();
  });
});

it.each([
  [
    'ENOSPC',
    'No space left on device',
    'Name a directory with more space with -T: at least 10 more bytes were needed.',
  ],
  ['EFBIG', 'File too large', 'Raise the limit on file sizes (ulimit -f).'],
  ['EIO', 'Input/output error', undefined],
])('reports a failed write to a temporary file with a remedy: %s', async (code, text, hint) => {
  fileSystem.writev = () => Promise.reject(systemError(code));
  const store = new TemporaryStore([Buffer.from(directory)]);
  const writer = store.create(null);
  const expected = {
    code: 'no-temporary-space',
    exitCode: 2,
    message: `write failed: temporary file in ${directory}: ${text}`,
    hint,
  };
  await expect(writer.write(Buffer.alloc(10))).rejects.toMatchObject(expected);
  await expect(writer.finish()).rejects.toMatchObject(expected);
  store.close();
});

it('closes the descriptor of a temporary file only after the last call that uses it', async () => {
  const events: string[] = [];
  let finish = (): void => {};
  fileSystem.writev = async (fd, blocks, position) => {
    await new Promise<void>((resolve) => {
      finish = resolve;
    });
    events.push('written');
    return saved.writev(fd, blocks, position);
  };
  const store = new TemporaryStore([Buffer.from(directory)]);
  const writer = store.create(null);
  const write = writer.write(Buffer.alloc(10));
  await new Promise(setImmediate);
  fileSystem.closeSync = (fd) => {
    events.push('closed');
    saved.closeSync(fd);
  };
  store.close();
  finish();
  await write;
  await new Promise(setImmediate);
  expect(events).toEqual(['written', 'closed']);
  await expect(writer.write(Buffer.alloc(1))).rejects.toMatchObject({ code: 'internal' });
});
