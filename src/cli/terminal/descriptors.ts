/**
 * File names may refer to descriptors that this program was started with (/dev/fd/3). Node also has descriptors of its
 * own. Their names are refused as missing files: a read from one could wait forever, and data written to one would be
 * lost. Only Linux shows which descriptors are Node's.
 */
import { fileSystem, refuseNames } from '../../system/file-system.js';
import { followLinks, systemFailure } from '../../system/links.js';
import { starter } from '../parse/argv.js';

const STANDARD_ERROR = 2;

/** The descriptors that were open at the start, including Node's own. */
let open: readonly number[] = [];
let given: ReadonlySet<number> | undefined;

/** Refuses the names of Node's own descriptors from now on. Call this before anything is opened. */
export function refuseOwnDescriptors(): void {
  try {
    open = fileSystem.readdirSync('/proc/self/fd').map(Number);
  } catch {
    return; // no /proc
  }
  refuseNames((name) => {
    const fd = ownDescriptor(name);
    if (fd === null || fd <= STANDARD_ERROR || givenDescriptors().has(fd)) return;
    throw systemFailure('ENOENT');
  });
}

/** The descriptors that this program was started with, apart from standard input, output and error. */
export function givenDescriptors(): ReadonlySet<number> {
  if (given === undefined) {
    const all = open.flatMap(descriptor);
    const first = all.find(({ target }) => target.startsWith(NODES))?.fd ?? Infinity;
    given = new Set(all.filter((one) => one.fd > STANDARD_ERROR && !isNodes(one, all, first)).map(({ fd }) => fd));
  }
  return given;
}

/** An open descriptor. */
interface Descriptor {
  readonly fd: number;
  readonly target: string;
  /** The flags of open(2), in octal. */
  readonly flags: number;
}

const NODES = 'anon_inode:';
const CLOSE_ON_EXEC = 0o2000000;
const ACCESS = 0o3;

/**
 * Whether Node opened a descriptor. Node has event queues, pipes of which it holds both ends, and /dev/null in reserve.
 * `first`: the first event queue, which Node opens before its other descriptors. All of these are close-on-exec, but
 * that flag alone does not decide: Node also sets it on inherited descriptors, up to some number.
 */
function isNodes({ fd, target, flags }: Descriptor, all: readonly Descriptor[], first: number): boolean {
  if ((flags & CLOSE_ON_EXEC) === 0) return false;
  if (target.startsWith(NODES)) return true;
  if (target === '/dev/null') return fd > first && (flags & ACCESS) === 0;
  return (
    target.startsWith('pipe:') &&
    all.some((other) => other.target === target && (other.flags & ACCESS) !== (flags & ACCESS))
  );
}

/** A descriptor of the process that the user started, which may have started this one (stand-in.ts). */
function descriptor(fd: number): Descriptor[] {
  const proc = `/proc/${starter()}`;
  try {
    const target = fileSystem.readlinkSync(`${proc}/fd/${fd}`).toString('latin1');
    const info = fileSystem.readFileSync(`${proc}/fdinfo/${fd}`).toString('latin1');
    return [{ fd, target, flags: parseInt(/^flags:\s*([0-7]+)$/m.exec(info)?.[1] ?? '0', 8) }];
  } catch {
    return []; // the descriptor that the list was read through
  }
}

/** Whether the name belongs to a file and not to a link. Finding this out costs less than following links. */
function isOther(name: Buffer | string): boolean {
  try {
    return !fileSystem.lstatSync(name).isSymbolicLink();
  } catch {
    return false; // a descriptor may be opened at any moment
  }
}

/** The number of the descriptor of this process that a name leads to; null for other names. */
function ownDescriptor(name: Buffer | string): number | null {
  try {
    if (isOther(name)) return null;
    const { descriptor } = followLinks(Buffer.from(name as string));
    const [, pid, fd] = /^\/proc\/([0-9]+)(?:\/task\/[0-9]+)?\/fd\/([0-9]+)$/.exec(descriptor ?? '') ?? [];
    return Number(pid) === process.pid ? Number(fd) : null;
  } catch {
    return null; // opening the file will report why
  }
}
