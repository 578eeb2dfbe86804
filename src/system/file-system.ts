/**
 * All file operations of gpusort, in one object. No other module of src imports node:fs. Tests replace entries to
 * make operations fail, fall short or wait. Entries are named after their system calls; those that return promises
 * run in the thread pool.
 */
import * as fs from 'node:fs';
import { isatty } from 'node:tty';
import { isWindows, patiently } from './platform.js';

export type { BigIntStats } from 'node:fs';
export const { constants } = fs;

/** A file name. Names that the user gave are raw bytes. */
type Path = Buffer | string;

/** Names of Windows devices, such as NUL. They are devices only without a path. */
const DEVICE = /^(?:con|conin\$|conout\$|prn|aux|nul|com[1-9]|lpt[1-9])$/i;

/**
 * The name for Node's calls. On Windows, names are text, because Node 20 adds the prefix that allows more than 260
 * characters only to text. With that prefix, NUL would be a file.
 */
function named(name: Path): Path {
  if (!isWindows()) return name;
  const text = name.toString();
  return DEVICE.test(text) ? `\\\\.\\${text}` : text;
}

/**
 * Linux file systems that one kernel mounts at a time (statfs(2)): tmpfs, ext2 to ext4, xfs, btrfs, f2fs, overlayfs.
 * The kernel keeps what it read of their files, while there is memory.
 */
const LOCAL_FILE_SYSTEMS: readonly number[] = [0x01021994, 0xef53, 0x58465342, 0x9123683e, 0xf2f52010, 0x794c7630];

/** Whether a file, or standard input if `name` is null, is on such a file system. Throws the system's error. */
export function isOnLocalSystem(name: Buffer | null): boolean {
  return LOCAL_FILE_SYSTEMS.includes(fileSystem.statfsSync(name ?? '/proc/self/fd/0'));
}

/** Whether a descriptor is a terminal. node:tty, which takes 3 ms to load, is asked only about devices. */
export function isTerminal(fd: number): boolean {
  try {
    return (isWindows() || fs.fstatSync(fd).isCharacterDevice()) && isatty(fd);
  } catch {
    return false; // closed
  }
}

let refuse: (name: Path) => void = () => {};

/**
 * Makes all later calls pass `check` the name of each file that is about to be opened, or that turned out not to be a
 * regular file. `check` throws the system's error to refuse a name.
 */
export function refuseNames(check: (name: Path) => void): void {
  refuse = check;
}

/** The name for Node's calls that follow links to a file. */
function followed(name: Path): Path {
  refuse(name);
  return named(name);
}

/**
 * The stream of the Windows console, if `fd` is one: only Node's streams give a console UTF-8 and colors. Null
 * otherwise.
 */
function consoleOf(fd: number): NodeJS.WriteStream | null {
  if (!isWindows() || fd < 1 || fd > 2 || !isTerminal(fd)) return null;
  return fd === 1 ? process.stdout : process.stderr;
}

/** Turns a call with a Node callback into a promise. */
type NodeCallback<T> = (error: NodeJS.ErrnoException | null, value: T) => void;
function promised<T>(begin: (done: NodeCallback<T>) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    begin((error, value) => {
      if (error === null) resolve(value);
      else reject(error);
    });
  });
}
/** The same for calls without a result. */
function promisedVoid(begin: (done: fs.NoParamCallback) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    begin((error) => {
      if (error === null) resolve();
      else reject(error);
    });
  });
}

export const fileSystem = {
  /** Flags as for open(2), by name (`r`, `wx+`) or number. */
  open: (name: Path, flags: string | number, mode?: number): Promise<number> =>
    promised((done) => {
      fs.open(followed(name), flags, mode, done);
    }),
  /** Reads at most target.length bytes at `position` or (null) at the descriptor's offset; 0 at end of file. */
  read: (fd: number, target: Uint8Array, position: number | null): Promise<number> =>
    promised((done) => {
      fs.read(fd, target, 0, target.length, position, done);
    }),
  /** Writes some of the bytes of `blocks` at `position` or (null) at the descriptor's offset; returns how many. */
  writev: (fd: number, blocks: readonly Uint8Array[], position: number | null): Promise<number> =>
    promised((done) => {
      const stream = consoleOf(fd);
      if (stream === null) fs.writev(fd, blocks, position, done);
      else stream.write(blocks[0], (error) => done(error ?? null, blocks[0].length));
    }),
  fsync: (fd: number): Promise<void> =>
    promisedVoid((done) => {
      fs.fsync(fd, done);
    }),
  ftruncateSync: (fd: number, bytes: number): void => {
    fs.ftruncateSync(fd, bytes);
  },
  ftruncate: (fd: number, bytes: number): Promise<void> =>
    promisedVoid((done) => {
      fs.ftruncate(fd, bytes, done);
    }),
  unlink: (name: Path): Promise<void> =>
    promisedVoid((done) => {
      fs.unlink(named(name), done);
    }),
  close: (fd: number): Promise<void> =>
    promisedVoid((done) => {
      fs.close(fd, done);
    }),

  openSync: (name: Path, flags: string | number, mode?: number): number => fs.openSync(followed(name), flags, mode),
  closeSync: (fd: number): void => {
    fs.closeSync(fd);
  },
  readSync: (fd: number, target: Uint8Array, position: number | null): number =>
    fs.readSync(fd, target, 0, target.length, position),
  writeSync: (fd: number, bytes: Uint8Array): number => {
    const stream = consoleOf(fd);
    if (stream === null) return fs.writeSync(fd, bytes);
    // A console has accepted the text when the call returns.
    stream.write(bytes);
    return bytes.length;
  },
  /** Throws if the file does not exist. */
  statSync: (name: Path): fs.BigIntStats => {
    const stat = fs.statSync(named(name), { bigint: true });
    if (!stat.isFile()) refuse(name);
    return stat;
  },
  lstatSync: (name: Path): fs.BigIntStats => fs.lstatSync(named(name), { bigint: true }),
  fstatSync: (fd: number): fs.BigIntStats => fs.fstatSync(fd, { bigint: true }),
  /** The type of the file system that holds `name`: on Linux a magic number, elsewhere meaningless. */
  statfsSync: (name: Path): number => fs.statfsSync(named(name)).type,
  accessSync: (name: Path, mode: number): void => {
    fs.accessSync(named(name), mode);
  },
  realpathSync: (name: Path): Buffer => fs.realpathSync(named(name), 'buffer') as unknown as Buffer,
  readlinkSync: (name: Path): Buffer => fs.readlinkSync(named(name), 'buffer') as unknown as Buffer,
  linkSync: (from: Path, to: Path): void => {
    patiently(() => fs.linkSync(named(from), named(to)));
  },
  renameSync: (from: Path, to: Path): void => {
    patiently(() => fs.renameSync(named(from), named(to)));
  },
  unlinkSync: (name: Path): void => {
    patiently(() => fs.unlinkSync(named(name)));
  },
  mkdirSync: (name: Path, mode = 0o777): void => {
    fs.mkdirSync(named(name), mode);
  },
  /** Removes a directory and all that is in it. */
  removeTree: (name: Path): void => {
    fs.rmSync(named(name), { recursive: true, force: true });
  },
  existsSync: (name: Path): boolean => fs.existsSync(named(name)),
  /** The names of a directory's entries. */
  readdirSync: (name: Path): Buffer[] => fs.readdirSync(named(name), { encoding: 'buffer' }) as unknown as Buffer[],
  fchmodSync: (fd: number, mode: number): void => {
    fs.fchmodSync(fd, mode);
  },
  chmodSync: (name: Path, mode: number): void => {
    fs.chmodSync(named(name), mode);
  },
  /** The whole of a small file, for example in /proc. */
  readFileSync: (name: Path | URL): Buffer => fs.readFileSync(name instanceof URL ? name : followed(name)),
  /** A directory's entries, one by one. */
  opendir: (name: Path): Promise<fs.Dir> =>
    promised((done) => {
      fs.opendir(named(name) as string, { encoding: 'buffer' as BufferEncoding }, done);
    }),
};
