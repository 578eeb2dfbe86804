/**
 * All file operations of gpusort, in one object. No other module of src imports node:fs. Tests replace entries to
 * make operations fail, fall short or wait. Entries are named after their system calls; those that return promises
 * run in the thread pool.
 */
import * as fs from 'node:fs';

export type { BigIntStats } from 'node:fs';
export const { constants } = fs;

/** A file name: as raw bytes if the user gave it. */
type Path = Buffer | string;

/** Turns a call with a Node callback into a promise. */
type Done<T> = (error: NodeJS.ErrnoException | null, value: T) => void;
function promised<T>(begin: (done: Done<T>) => void): Promise<T> {
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
      fs.open(name, flags, mode, done);
    }),
  /** Reads at most target.length bytes at `position` or (null) at the descriptor's offset; 0 at end of file. */
  read: (fd: number, target: Uint8Array, position: number | null): Promise<number> =>
    promised((done) => {
      fs.read(fd, target, 0, target.length, position, done);
    }),
  /** Writes some of the bytes of `blocks` at `position` or (null) at the descriptor's offset; returns how many. */
  writev: (fd: number, blocks: readonly Uint8Array[], position: number | null): Promise<number> =>
    promised((done) => {
      fs.writev(fd, blocks, position, done);
    }),
  fsync: (fd: number): Promise<void> =>
    promisedVoid((done) => {
      fs.fsync(fd, done);
    }),
  ftruncate: (fd: number, bytes: number): Promise<void> =>
    promisedVoid((done) => {
      fs.ftruncate(fd, bytes, done);
    }),
  unlink: (name: Path): Promise<void> =>
    promisedVoid((done) => {
      fs.unlink(name, done);
    }),
  close: (fd: number): Promise<void> =>
    promisedVoid((done) => {
      fs.close(fd, done);
    }),

  openSync: (name: Path, flags: string | number, mode?: number): number => fs.openSync(name, flags, mode),
  closeSync: (fd: number): void => {
    fs.closeSync(fd);
  },
  readSync: (fd: number, target: Uint8Array, position: number | null): number =>
    fs.readSync(fd, target, 0, target.length, position),
  writeSync: (fd: number, bytes: Uint8Array): number => fs.writeSync(fd, bytes),
  /** Throws if the file does not exist. */
  statSync: (name: Path): fs.BigIntStats => fs.statSync(name, { bigint: true }),
  lstatSync: (name: Path): fs.BigIntStats => fs.lstatSync(name, { bigint: true }),
  fstatSync: (fd: number): fs.BigIntStats => fs.fstatSync(fd, { bigint: true }),
  /** The type of the file system that holds `name`: one of Linux's magic numbers. */
  statfsSync: (name: Path): number => fs.statfsSync(name).type,
  accessSync: (name: Path, mode: number): void => {
    fs.accessSync(name, mode);
  },
  realpathSync: (name: Path): Buffer => fs.realpathSync(name, 'buffer') as unknown as Buffer,
  readlinkSync: (name: Path): Buffer => fs.readlinkSync(name, 'buffer') as unknown as Buffer,
  linkSync: (from: Path, to: Path): void => {
    fs.linkSync(from, to);
  },
  renameSync: (from: Path, to: Path): void => {
    fs.renameSync(from, to);
  },
  unlinkSync: (name: Path): void => {
    fs.unlinkSync(name);
  },
  mkdirSync: (name: Path, mode = 0o777): void => {
    fs.mkdirSync(name, mode);
  },
  /** Removes a directory and all that is in it. */
  removeTree: (name: Path): void => {
    fs.rmSync(name, { recursive: true, force: true });
  },
  existsSync: (name: Path): boolean => fs.existsSync(name),
  /** The names of a directory's entries. */
  readdirSync: (name: Path): Buffer[] => fs.readdirSync(name, { encoding: 'buffer' }) as unknown as Buffer[],
  fchmodSync: (fd: number, mode: number): void => {
    fs.fchmodSync(fd, mode);
  },
  chmodSync: (name: Path, mode: number): void => {
    fs.chmodSync(name, mode);
  },
  /** The whole of a small file, for example in /proc. */
  readFileSync: (name: Path | URL): Buffer => fs.readFileSync(name),
  writeFileSync: (name: Path, text: string): void => {
    fs.writeFileSync(name, text);
  },
  /** A directory's entries, one by one. */
  opendir: (name: Path): Promise<fs.Dir> =>
    promised((done) => {
      fs.opendir(name as unknown as string, { encoding: 'buffer' as BufferEncoding }, done);
    }),
};
