/** Calls that fail while the sorted text replaces FILE: the message, and the contents of FILE. */
import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openSink, type Sink } from '../../src/output/sink.js';
import { runCleanups } from '../../src/report/cleanup.js';
import { showWarnings } from '../../src/report/warnings.js';
import type { GpusortError } from '../../src/system/errors.js';
import { fileSystem } from '../../src/system/file-system.js';
import { job, silent } from '../support/jobs.js';
import { LONGEST_PATH, longDirectory } from '../support/long-path.js';

let directory = '';
let file = '';
let warnings: string[] = [];
const saved = { ...fileSystem };
beforeEach(() => {
  directory = mkdtempSync(join(process.env.GPUSORT_TEST_TMP ?? tmpdir(), 'in-place-'));
  file = join(directory, 'out');
  warnings = [];
  showWarnings((sentence) => {
    warnings.push(sentence);
  });
});
afterEach(() => {
  Object.assign(fileSystem, saved);
  rmSync(directory, { recursive: true });
});

const failure = (code: string): Error => Object.assign(new Error('injected'), { code });

/** Writes `text` to the file through a sink; calls `before` when everything is written, before the sink finishes. */
async function put(text: string, before: () => void, sync = false): Promise<void> {
  const sink = await openSink(
    job({ output: Buffer.from(file), temporaryDirectories: [Buffer.from(directory)], sync }),
    silent,
  );
  await sink.write(Buffer.from(text));
  before();
  await sink.finish();
}

const contents = (): string => readFileSync(file, 'latin1');
const others = (): string[] =>
  readdirSync(directory).filter(
    (name) =>
      name !== 'out' &&
      name !== 'second' &&
      !(existsSync(join(directory, name)) && statSync(join(directory, name)).isDirectory()),
  );

it('reports that FILE may not be on disk if its descriptor fails to close', async () => {
  writeFileSync(file, 'old');
  linkSync(file, join(directory, 'second'));
  const inode = statSync(file).ino;
  await expect(
    put('new\n', () => {
      fileSystem.close = async (fd) => {
        const isFile = statSync(`/proc/self/fd/${fd}`).ino === inode;
        await saved.close(fd);
        if (isFile) throw failure('EIO');
      };
    }),
  ).rejects.toMatchObject({
    message: `write failed: ${file}: Input/output error`,
    hint: expect.stringMatching(
      /^\S+ is complete but may not be on disk; the complete sorted output is in \S+gpusort-sorted-\w{8}\.$/,
    ),
  });
  expect(contents()).toBe('new\n');
  expect(readFileSync(join(directory, others()[0]), 'latin1')).toBe('new\n');
});

it('keeps the old contents if the temporary file fails to close', async () => {
  writeFileSync(file, 'old');
  await expect(
    put('new\n', () => {
      fileSystem.close = async (fd) => {
        await saved.close(fd);
        throw failure('EIO');
      };
    }),
  ).rejects.toMatchObject({ message: `write failed: ${file}: Input/output error` });
  expect(contents()).toBe('old');
  expect(others()).toEqual([]);
});

it('reports that FILE may not be on disk if its directory cannot be synced', async () => {
  writeFileSync(file, 'old');
  let syncs = 0;
  await expect(
    put(
      'new\n',
      () => {
        fileSystem.fsync = async () => {
          if (++syncs === 2) throw failure('EIO');
        };
      },
      true,
    ),
  ).rejects.toMatchObject({ hint: `${file} is complete but may not be on disk.` });
  expect(contents()).toBe('new\n');
  expect(others()).toEqual([]);
});

it('keeps the output and warns once if the temporary file cannot be removed', async () => {
  await put('new\n', () => {
    fileSystem.unlinkSync = () => {
      throw failure('EIO');
    };
  });
  expect(contents()).toBe('new\n');
  expect(warnings).toEqual([`cannot remove temporary file: ${join(directory, others()[0])}: Input/output error`]);
});

it.each(['EPERM', 'EACCES', 'EBUSY', 'EXDEV'])('writes in place if the rename fails with %s', async (code) => {
  writeFileSync(file, 'old contents that are longer\n');
  const inode = statSync(file).ino;
  await put('new\n', () => {
    fileSystem.renameSync = (from, to) => {
      if (String(to) === file) throw failure(code);
      saved.renameSync(from, to);
    };
  });
  expect([contents(), statSync(file).ino]).toEqual(['new\n', inode]);
  expect(others()).toEqual([]);
});

it('leaves FILE unchanged and keeps the sorted text if the rename fails otherwise', async () => {
  writeFileSync(file, 'old');
  await expect(
    put('new\n', () => {
      fileSystem.renameSync = (from, to) => {
        if (String(to) === file) throw failure('EIO');
        saved.renameSync(from, to);
      };
    }),
  ).rejects.toMatchObject({
    hint: expect.stringMatching(/^\S+ is unchanged; the complete sorted output is in \S+gpusort-sorted-\w{8}\.$/),
  });
  expect(contents()).toBe('old');
  expect(readFileSync(join(directory, others()[0]), 'latin1')).toBe('new\n');
});

it('renames to a new FILE on a file system without links', async () => {
  await put('new\n', () => {
    fileSystem.linkSync = () => {
      throw failure('EPERM');
    };
  });
  expect(contents()).toBe('new\n');
  expect(others()).toEqual([]);
});

it('does not touch a FILE that appears during the sort on a file system without links', async () => {
  await expect(
    put('new\n', () => {
      fileSystem.linkSync = () => {
        throw failure('EPERM');
      };
      writeFileSync(file, 'of another program');
    }),
  ).rejects.toMatchObject({
    message: expect.stringContaining('another file has taken this name since the sort began'),
  });
  expect(contents()).toBe('of another program');
});

it('leaves FILE unchanged if it cannot grow', async () => {
  writeFileSync(file, 'old');
  linkSync(file, join(directory, 'second'));
  const inode = statSync(file).ino;
  await expect(
    put('new text that is longer\n', () => {
      fileSystem.writev = async (fd, blocks, position) => {
        if (statSync(`/proc/self/fd/${fd}`).ino !== inode) return saved.writev(fd, blocks, position);
        await saved.writev(fd, [blocks[0].subarray(0, 2)], position);
        throw failure('ENOSPC');
      };
    }),
  ).rejects.toMatchObject({ hint: expect.stringContaining('is unchanged; the complete sorted output is in') });
  expect(contents()).toBe('old');
});

describe('writes like any other output', () => {
  it.runIf(process.platform === 'linux').each([
    ['a new FILE', null],
    ['an existing FILE', 'old'],
  ])('$0 whose path is as long as the system allows', async (_, before) => {
    const inner = longDirectory(directory, LONGEST_PATH - 2);
    file = join(inner, 'x');
    if (before !== null) writeFileSync(file, before);
    await put('new\n', () => expect(readdirSync(inner).join()).toMatch(/\.gpusort-/));
    expect([contents(), readdirSync(inner), warnings]).toEqual(['new\n', ['x'], []]);
  });

  it('an existing FILE under a umask that allows nothing', async () => {
    writeFileSync(file, 'old');
    const { mode } = statSync(file);
    const umask = process.umask(0o777);
    try {
      // The rights of root say nothing about other users.
      await put('new\n', () => expect(statSync(join(directory, others()[0])).mode & 0o600).toBe(0o600));
    } finally {
      process.umask(umask);
    }
    expect([contents(), statSync(file).mode]).toEqual(['new\n', mode]);
  });
});

describe('checks FILE before it reports on it: a FILE', () => {
  const KEPT = 'he complete sorted output is in \\S+gpusort-sorted-\\w{8}';
  const ends = async (finished: Promise<void>, message: string, hint: string): Promise<void> => {
    const error = await finished.then(
      () => expect.fail('it was put in place'),
      (thrown: GpusortError) => thrown,
    );
    expect(error.message).toBe(`write failed: ${file}: ${message}`);
    expect(error.hint).toMatch(new RegExp(`^${hint}\\.$`));
  };
  const kept = (): string => readFileSync(join(directory, others()[0]), 'latin1');

  it('that was removed', async () => {
    writeFileSync(file, 'old');
    await ends(
      put('new\n', () => rmSync(file)),
      'no file has this name any more',
      `T${KEPT}`,
    );
    expect([existsSync(file), kept()]).toEqual([false, 'new\n']);
  });

  it('whose directory was removed', async () => {
    const inner = join(directory, 'inner');
    mkdirSync(inner);
    file = join(inner, 'out');
    writeFileSync(file, 'old');
    await ends(
      put('new\n', () => rmSync(inner, { recursive: true })),
      'no file has this name any more',
      `T${KEPT}`,
    );
    expect(kept()).toBe('new\n');
  });

  it('that is a link without a file, and leads elsewhere now', async () => {
    symlinkSync(join(directory, 'one'), file);
    await ends(
      put('new\n', () => {
        rmSync(file);
        symlinkSync(join(directory, 'two'), file);
      }),
      'this name now leads elsewhere',
      `T${KEPT}`,
    );
    expect(kept()).toBe('new\n');
  });

  it.each([
    ['shorter', 'new\n'],
    ['longer', 'new contents, longer than the old ones\n'],
  ])('that can no longer be written, for $0 text', async (_, text) => {
    writeFileSync(file, 'old contents\n');
    linkSync(file, join(directory, 'second'));
    const inode = statSync(file).ino;
    const refuse = (fd: number): void => {
      if (statSync(`/proc/self/fd/${fd}`).ino === inode) throw failure('EPERM');
    };
    await ends(
      put(text, () => {
        fileSystem.writev = async (...args) => {
          refuse(args[0]);
          return saved.writev(...args);
        };
        fileSystem.ftruncate = async (...args) => {
          refuse(args[0]);
          return saved.ftruncate(...args);
        };
      }),
      'Operation not permitted',
      `${file} is unchanged; t${KEPT}`,
    );
    expect([contents(), kept()]).toEqual(['old contents\n', text]);
  });

  it('that has all of the text but is not on disk', async () => {
    writeFileSync(file, 'old');
    linkSync(file, join(directory, 'second'));
    const inode = statSync(file).ino;
    await ends(
      put(
        'new\n',
        () => {
          fileSystem.fsync = async (fd) => {
            if (statSync(`/proc/self/fd/${fd}`).ino === inode) throw failure('EIO');
          };
        },
        true,
      ),
      'Input/output error',
      `${file} is complete but may not be on disk; t${KEPT}`,
    );
    expect(contents()).toBe('new\n');
  });

  it('that a rename has replaced and that is reported as failed', async () => {
    writeFileSync(file, 'old');
    await ends(
      put('new\n', () => {
        fileSystem.renameSync = (from, to) => {
          saved.renameSync(from, to);
          if (String(to) === file) throw failure('EIO');
        };
      }),
      'Input/output error',
      `${file} is complete but may not be on disk`,
    );
    expect([contents(), others()]).toEqual(['new\n', []]);
  });

  it('that is new and has no name yet', async () => {
    await ends(
      put('new\n', () => {
        fileSystem.linkSync = () => {
          throw failure('EPERM');
        };
        fileSystem.renameSync = (from, to) => {
          if (String(to) === file) throw failure('EIO');
          saved.renameSync(from, to);
        };
      }),
      'Input/output error',
      `T${KEPT}`,
    );
    expect([existsSync(file), kept()]).toEqual([false, 'new\n']);
  });

  it.each([
    ['removed', (name: string) => rmSync(name), 'was removed'],
    ['cut', (name: string) => truncateSync(name, 1), 'was cut'],
  ])('whose sorted text was $0', async (_, change, what) => {
    writeFileSync(file, 'old');
    await ends(
      put('new\n', () => {
        fileSystem.renameSync = (from, to) => {
          if (String(to) !== file) return saved.renameSync(from, to);
          change(join(directory, others()[0]));
          throw failure('EIO');
        };
      }),
      'Input/output error',
      `${file} is unchanged; the sorted output is lost: \\S+ ${what}`,
    );
  });
});

describe('if a file system is mounted over the directory of FILE', () => {
  /** Hides `inner` as a mount does: its path leads to another directory, and the system still reports that path. */
  function hide(inner: string, away: string): void {
    renameSync(inner, away);
    mkdirSync(inner);
    fileSystem.readlinkSync = (name) => {
      const link = saved.readlinkSync(name).toString();
      return Buffer.from(link.replace(away, inner));
    };
  }
  const places = (): [inner: string, away: string] => {
    const inner = join(directory, 'inner');
    mkdirSync(inner);
    file = join(inner, 'out');
    writeFileSync(file, 'old');
    return [inner, join(directory, 'away')];
  };
  const sorted = (): Promise<Sink> =>
    openSink(job({ output: Buffer.from(file), temporaryDirectories: [Buffer.from(directory)] }), silent);

  it.runIf(process.platform === 'linux')('leaves no temporary file under it', async () => {
    const [inner, away] = places();
    const sink = await sorted();
    await sink.write(Buffer.from('new\n'));
    hide(inner, away);
    await sink.abort();
    expect([readdirSync(inner), readdirSync(away)]).toEqual([[], ['out']]);
  });

  it.runIf(process.platform === 'linux')('leaves none under it at exit', async () => {
    const [inner, away] = places();
    const sink = await sorted();
    hide(inner, away);
    runCleanups();
    expect(readdirSync(away)).toEqual(['out']);
    await sink.abort();
  });

  it.runIf(process.platform === 'linux')('keeps the text in the directory that is there now', async () => {
    const [inner, away] = places();
    const sink = await sorted();
    await sink.write(Buffer.from('new\n'));
    hide(inner, away);
    await expect(sink.finish()).rejects.toMatchObject({
      message: `write failed: ${file}: no file has this name any more`,
    });
    expect(readdirSync(away)).toEqual(['out']);
    expect(readFileSync(join(inner, readdirSync(inner)[0]), 'latin1')).toBe('new\n');
  });

  it.runIf(process.platform === 'linux')('says that the text is hidden if it is complete by then', async () => {
    const [inner, away] = places();
    const { statSync: stat } = fileSystem;
    const sink = await sorted();
    await sink.write(Buffer.from('new\n'));
    fileSystem.statSync = (name) => {
      fileSystem.statSync = stat;
      hide(inner, away);
      return stat(name);
    };
    await expect(sink.finish()).rejects.toMatchObject({
      hint: expect.stringMatching(/gpusort-sorted-\w{8}, which a mount hides\.$/),
    });
  });
});

it('keeps the complete sorted text if an in-place write fails midway', async () => {
  writeFileSync(file, 'old');
  linkSync(file, join(directory, 'second'));
  await expect(
    put('new text that is longer\n', () => {
      const { writev } = fileSystem;
      fileSystem.writev = (fd, blocks, position) =>
        position === 1 ? Promise.reject(failure('EIO')) : writev(fd, [blocks[0].subarray(0, 1)], position);
    }),
  ).rejects.toMatchObject({
    hint: expect.stringMatching(/^\S+ is partly written; the complete sorted output is in \S+\.$/),
  });
  expect(readFileSync(join(directory, others()[0]), 'latin1')).toBe('new text that is longer\n');
});

it('leaves the written text in the temporary file after kill -9', async () => {
  writeFileSync(file, 'old');
  const sink = await openSink(job({ output: Buffer.from(file) }), silent);
  const left = (): [string, number][] =>
    others().map((name) => [name.slice(0, 9), statSync(join(directory, name)).size]);
  expect([left(), contents()]).toEqual([[['.gpusort-', 0]], 'old']);
  await sink.write(Buffer.alloc(100_000));
  expect([left(), contents()]).toEqual([[['.gpusort-', 100_000]], 'old']);
  await sink.abort();
});

it('removes the temporary file if the sort is aborted', async () => {
  const sink = await openSink(
    job({ output: Buffer.from(file), temporaryDirectories: [Buffer.from(directory)] }),
    silent,
  );
  await sink.write(Buffer.from('new\n'));
  await sink.abort();
  expect(existsSync(file)).toBe(false);
  expect(others()).toEqual([]);
});

it.each([
  [
    'removed',
    (name: Buffer) => {
      rmSync(name);
    },
    0,
  ],
  [
    'replaced',
    (name: Buffer) => {
      rmSync(name);
      writeFileSync(name, 'another');
    },
    1,
  ],
] as const)(
  'sorts into another temporary file if the first is %s before it is open for reading',
  async (_, interfere, left) => {
    writeFileSync(file, 'old');
    let opened = 0;
    fileSystem.openSync = (name, flags, mode) => {
      if (flags === 'r' && ++opened === 1) interfere(name as Buffer);
      return saved.openSync(name, flags, mode);
    };
    await put('new\n', () => {});
    expect(opened).toBe(2);
    expect(contents()).toBe('new\n');
    expect(others()).toHaveLength(left);
    expect(warnings).toEqual([]);
  },
);

it('fails if each temporary file is removed as soon as it is created', async () => {
  writeFileSync(file, 'old');
  fileSystem.openSync = (name, flags, mode) => {
    if (flags === 'r') rmSync(name as Buffer);
    return saved.openSync(name, flags, mode);
  };
  await expect(put('new\n', () => {})).rejects.toMatchObject({
    message: `cannot create temporary file in '${directory}': No such file or directory`,
  });
  expect(contents()).toBe('old');
  expect(others()).toEqual([]);
});

it('keeps the text if its temporary file is lost and the next one is removed before it is open', async () => {
  writeFileSync(file, 'old');
  let opened = 0;
  await put('new\n', () => {
    rmSync(join(directory, others()[0]));
    fileSystem.openSync = (name, flags, mode) => {
      if (flags === 'r' && ++opened === 1) rmSync(name as Buffer);
      return saved.openSync(name, flags, mode);
    };
  });
  expect(opened).toBe(2);
  expect(contents()).toBe('new\n');
  expect(others()).toEqual([]);
});
