/** Makes one file call fail, by replacing the entries of src/system/file-system.ts. */
import { fileSystem } from '../../src/system/file-system.js';

type Name = keyof typeof fileSystem;
type Call = (...args: never[]) => unknown;

export const ERRORS = ['EIO', 'ENOSPC', 'EDQUOT', 'EMFILE', 'EINTR', 'EACCES'] as const;

/** How a call fails: with an error, or (reads and writes only) by transferring only half the bytes. */
export type Failure = (typeof ERRORS)[number] | 'short';

const SHORT: readonly Name[] = ['read', 'writev', 'readSync', 'writeSync'];
/** Calls that report no errors: they return false instead. */
const NEVER_FAIL: readonly Name[] = ['existsSync'];
/** Calls that close their descriptor even if they fail. */
const CLOSES: readonly Name[] = ['close', 'closeSync'];

export interface Calls {
  /** The names of all calls so far, in order. */
  readonly made: readonly Name[];
  restore(): void;
}

/** Records calls and makes one fail: number `at`, counted from 0. */
export function failing(at: number, failure: Failure): Calls {
  const made: Name[] = [];
  const saved = { ...fileSystem } as Record<Name, Call>;
  const target = fileSystem as unknown as Record<Name, Call>;
  for (const name of Object.keys(saved) as Name[]) {
    target[name] = (...args: never[]) => {
      const number = made.length;
      made.push(name);
      if (number !== at || NEVER_FAIL.includes(name)) return saved[name](...args);
      if (failure === 'short') return saved[name](...(SHORT.includes(name) ? shortened(name, args) : args));
      const error = Object.assign(new Error(`${failure}: injected, ${name}`), { code: failure, syscall: name });
      if (!isAsynchronous(name)) {
        if (CLOSES.includes(name)) saved[name](...args);
        throw error;
      }
      const before = CLOSES.includes(name) ? Promise.resolve(saved[name](...args)) : Promise.resolve();
      return before.then(() => {
        throw error;
      });
    };
  }
  return {
    made,
    restore: () => {
      Object.assign(fileSystem, saved);
    },
  };
}

/** Whether a call can fail in this way. */
export function canFail(name: Name, failure: Failure): boolean {
  return !NEVER_FAIL.includes(name) && (failure !== 'short' || SHORT.includes(name));
}

const isAsynchronous = (name: Name): boolean => !name.endsWith('Sync');

/** The arguments of a read or write, reduced to half as many bytes, rounded up. */
function shortened(name: Name, [fd, data, ...rest]: never[]): never[] {
  const half = (bytes: Uint8Array): Uint8Array => bytes.subarray(0, Math.ceil(bytes.length / 2));
  return [fd, (name === 'writev' ? [half((data as Uint8Array[])[0])] : half(data)) as never, ...rest!];
}
