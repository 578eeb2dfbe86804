/** A later run removes temporary files of killed processes only if they are its user's and their creators are dead. */
import { spawnSync } from 'node:child_process';
import { chownSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { fileSystem } from '../../src/system/file-system.js';
import {
  createTemporary,
  removeAbandoned,
  SORTED_MODE,
  sortedName,
  temporaryName,
} from '../../src/system/temporary-files.js';

const isLinux = process.platform === 'linux';
const isRoot = process.getuid?.() === 0;
const NFS = 0x6969;
const EXT4 = 0xef53;

let directory = '';
const saved = { ...fileSystem };
beforeEach(() => {
  directory = mkdtempSync(join(process.env.GPUSORT_TEST_TMP ?? tmpdir(), 'abandoned-'));
  fileSystem.statfsSync = () => EXT4;
});
afterEach(() => {
  Object.assign(fileSystem, saved);
  rmSync(directory, { recursive: true });
});

/** A temporary file name of this process, with parts replaced. */
function named(changes: {
  readonly boot?: string;
  readonly namespace?: string;
  readonly pid?: number;
  readonly start?: string;
}): string {
  const [, boot, namespace, pid, start, word] = temporaryName().split('-');
  return [
    '.gpusort',
    changes.boot ?? boot,
    changes.namespace ?? namespace,
    changes.pid ?? pid,
    changes.start ?? start,
    word,
  ].join('-');
}

/** The PID of a process that has ended. */
const deadPid = (): number => spawnSync('true').pid;

async function isRemoved(name: string): Promise<boolean> {
  writeFileSync(join(directory, name), '');
  await removeAbandoned(Buffer.from(directory));
  return !readdirSync(directory).includes(name);
}

it.skipIf(!isLinux).each<[string, () => string, boolean]>([
  ['keeps files of this process', () => named({}), false],
  ['removes files of a process that has ended', () => named({ pid: deadPid() }), true],
  ['removes files of an earlier process with the same PID', () => named({ start: '1' }), true],
  ['keeps files of another PID namespace', () => named({ namespace: '1', pid: deadPid() }), false],
  ['removes files of another boot', () => named({ boot: '0123456789ab' }), true],
  ['keeps files of sorted text', sortedName, false],
  ['keeps files with other names', () => '.gpusort-notes', false],
])('%s', async (_, name, removed) => {
  expect(await isRemoved(name())).toBe(removed);
});

it.skipIf(!isLinux)('keeps files of another boot on a network file system, whose host may still run', async () => {
  fileSystem.statfsSync = () => NFS;
  expect(await isRemoved(named({ boot: '0123456789ab' }))).toBe(false);
});

it.skipIf(!isLinux || !isRoot)('keeps files of other users', async () => {
  const name = named({ pid: deadPid() });
  writeFileSync(join(directory, name), '');
  chownSync(join(directory, name), 65534, 65534);
  expect(await isRemoved('other')).toBe(false);
  expect(readdirSync(directory)).toContain(name);
});

it.skipIf(!isLinux)('keeps complete sorted text that has a temporary name: only its owner may read it', async () => {
  const name = named({ pid: deadPid() });
  writeFileSync(join(directory, name), '', { mode: SORTED_MODE });
  await removeAbandoned(Buffer.from(directory));
  expect(readdirSync(directory)).toEqual([name]);
});

it.skipIf(!isLinux)(
  'names files by the boot, the PID namespace, the PID and its start, as ps and ls print them',
  () => {
    const shell = `cat /proc/sys/kernel/random/boot_id | tr -d -; readlink "/proc/$PPID/ns/pid" | tr -dc 0-9
    cut -d ')' -f 2- "/proc/$PPID/stat" | cut -d ' ' -f 21`;
    const [boot, numbers] = spawnSync('sh', ['-c', shell], { encoding: 'utf8' }).stdout.split('\n');
    const [, ofBoot, namespace, pid, start] = temporaryName().split('-');
    expect([ofBoot, namespace + start, pid]).toEqual([boot.slice(0, 12), numbers, String(process.pid)]);
  },
);

it.skipIf(!isLinux)('keeps directories', async () => {
  const name = named({ pid: deadPid() });
  mkdirSync(join(directory, name));
  await removeAbandoned(Buffer.from(directory));
  expect(readdirSync(directory)).toEqual([name]);
});

it('ignores a directory that cannot be listed', async () => {
  await expect(removeAbandoned(Buffer.from(join(directory, 'missing')))).resolves.toBeUndefined();
});

it('tries another name if one exists', () => {
  let tries = 0;
  fileSystem.openSync = (name, flags, mode) => {
    if (++tries <= 3) throw Object.assign(new Error('taken'), { code: 'EEXIST' });
    return saved.openSync(name, flags, mode);
  };
  const { fd, name } = createTemporary(Buffer.from(directory));
  saved.closeSync(fd);
  expect(readdirSync(directory)).toEqual([name.toString().slice(directory.length + 1)]);
});
