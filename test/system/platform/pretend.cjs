/**
 * Makes Node on Linux behave like Node on another system where gpusort can see it; loaded before it (node --require).
 * GPUSORT_TEST_PLATFORM says which: darwin or win32. The behavior of the systems is taken from Node's manual, libuv's
 * source and real runs (docs/platforms.md). On win32, `T:` is the directory GPUSORT_TEST_DRIVE, and
 * GPUSORT_TEST_PIPES=blind makes standard input a pipe that can be read, but not examined.
 */
const fs = require('node:fs');
const net = require('node:net');
const os = require('node:os');

const { GPUSORT_TEST_PLATFORM: platform, GPUSORT_TEST_DRIVE: drive = '/', GPUSORT_TEST_PIPES: pipes } = process.env;
const isWindows = platform === 'win32';
const MISSING_SIGNALS = { darwin: ['SIGPOLL', 'SIGPWR', 'SIGSTKFLT'] };
const WINDOWS_SIGNALS = { SIGHUP: 1, SIGINT: 2, SIGQUIT: 3, SIGILL: 4, SIGFPE: 8, SIGKILL: 9, SIGSEGV: 11 };
const MORE_WINDOWS_SIGNALS = { SIGTERM: 15, SIGBREAK: 21, SIGABRT: 22, SIGWINCH: 28 };
const UNIX_ONLY = ['O_DIRECT', 'O_DIRECTORY', 'O_DSYNC', 'O_NOATIME', 'O_NOCTTY', 'O_NOFOLLOW', 'O_NONBLOCK', 'O_SYNC'];
const USERS = ['getuid', 'geteuid', 'getgid', 'getegid', 'getgroups'];

const failure = (code, call, name) => Object.assign(new Error(`${code}: pretended, ${call} '${name}'`), { code });

/** The name on this system. */
function here(name) {
  if (!isWindows || name instanceof URL) return name;
  const text = name.toString().replace(/^\\\\\?\\/, '');
  if (/^\\\\\.\\nul$/i.test(text)) return '/dev/null';
  const slashed = text.replaceAll('\\', '/');
  return /^t:/i.test(slashed) ? drive + slashed.slice(2) : slashed;
}

/** The name in the form of the other system. */
function there(bytes) {
  if (!isWindows) return bytes;
  const text = bytes.toString();
  const named = drive !== '/' && text.startsWith(drive) ? `T:${text.slice(drive.length)}` : text;
  return Buffer.from(named.replaceAll('/', '\\'));
}

/** Files of Linux that show the state of the kernel. */
function refuseHidden(call, name) {
  if (/^\/(proc|sys)(\/|$)/.test(String(name))) throw failure('ENOENT', call, name);
}

/** Descriptors of open files by name, and names that go away with the last descriptor, as on Windows. */
const openFiles = new Map();
const leaving = new Set();
const isOpen = (name) => [...openFiles.values()].includes(String(name));
function closed(fd) {
  const name = openFiles.get(fd);
  openFiles.delete(fd);
  if (leaving.has(name) && !isOpen(name)) {
    leaving.delete(name);
    unlinkSync(name);
  }
}

const { unlinkSync } = fs;
const before = {
  unlink: (name) => {
    if (!isWindows || !isOpen(name)) return true;
    leaving.add(String(name));
    return false;
  },
  rename: (_, to) => {
    if (isWindows && isOpen(to)) throw failure('EPERM', 'rename', to);
    return true;
  },
  open: (name) => {
    if (leaving.has(String(name))) throw failure('EPERM', 'open', name);
    return true;
  },
};
const ONE_NAME = ['open', 'unlink', 'stat', 'lstat', 'statfs', 'access', 'readdir', 'mkdir', 'rm', 'chmod', 'opendir'];
const MORE = ['readFile', 'writeFile', 'exists'];

/** Replaces `call` by one with the names of this system. `work` gets the original and its arguments. */
function wrap(call, names, work) {
  const original = fs[call];
  const plain = call.replace(/Sync$/, '');
  fs[call] = (...args) => {
    const given = [
      ...args.slice(0, names).map((name) => (typeof name === 'number' ? name : here(name))),
      ...args.slice(names),
    ];
    const done = call.endsWith('Sync') ? null : args.at(-1);
    try {
      for (const name of given.slice(0, names)) refuseHidden(call, name);
      if (before[plain]?.(...given) === false) return done?.(null);
      return work === undefined ? original(...given) : work(original, given);
    } catch (error) {
      if (call === 'existsSync') return false;
      if (typeof done !== 'function') throw error;
      return process.nextTick(done, error);
    }
  };
}

for (const call of [...ONE_NAME, ...MORE].filter((name) => name !== 'open')) {
  wrap(`${call}Sync`, 1);
  if (['unlink', 'opendir'].includes(call)) wrap(call, 1);
}
wrap('linkSync', 2);
wrap('renameSync', 2);
wrap('openSync', 1, (open, [name, ...rest]) => {
  const fd = open(name, ...rest);
  openFiles.set(fd, String(name));
  return fd;
});
wrap('open', 1, (open, [name, ...rest]) => {
  const done = rest.pop();
  open(name, ...rest.filter((word) => word !== undefined), (error, fd) => {
    if (error === null) openFiles.set(fd, String(name));
    done(error, fd);
  });
});
wrap('realpathSync', 1, (realpath, args) => {
  if (String(args[0]) === '/dev/fd') return Buffer.from('/dev/fd');
  return args[1] === 'buffer' ? there(realpath(...args)) : realpath(...args);
});
// macOS has devices in /dev/fd, where Linux has links.
wrap('readlinkSync', 1, (readlink, args) => {
  if (/^\/dev\/fd\/[0-9]+$/.test(String(args[0]))) throw failure('EINVAL', 'readlink', args[0]);
  if (String(args[0]) === '/dev/stdout') return Buffer.from('fd/1');
  return args[1] === 'buffer' ? there(readlink(...args)) : readlink(...args);
});
const { close, closeSync, fstatSync, fsync, read, writev } = fs;
fs.closeSync = (fd) => {
  closeSync(fd);
  closed(fd);
};
fs.close = (fd, done) => {
  close(fd, (error) => {
    closed(fd);
    done(error);
  });
};

if (isWindows) {
  const statfs = fs.statfsSync;
  fs.statfsSync = (...args) => ({ ...statfs(...args), type: 0 });
  fs.fstatSync = (...args) => Object.assign(fstatSync(...args), { isFIFO: () => false });
  fs.fsync = (fd, done) => (fstatSync(fd).isDirectory() ? done(failure('EPERM', 'fsync', fd)) : fsync(fd, done));
  const isPipe = (fd) => fstatSync(fd).isFIFO();
  fs.read = (fd, ...rest) => {
    const done = rest.pop();
    read(fd, ...rest, (error, count) =>
      count === 0 && isPipe(fd) ? done(failure('EOF', 'read', fd)) : done(error, count),
    );
  };
  fs.writev = (fd, blocks, position, done) => {
    writev(fd, blocks, position, (error, count) =>
      done(error?.code === 'EPIPE' ? failure('EOF', 'write', fd) : error, count),
    );
  };
  const { Socket } = net;
  if (pipes === 'blind')
    net.Socket = class extends Socket {
      constructor(options) {
        if (options?.fd === 0) throw failure('EBADF', 'open', 0);
        super(options);
      }
    };
  for (const name of UNIX_ONLY) delete fs.constants[name];
  for (const name of USERS) delete process[name];
  os.constants.signals = { ...WINDOWS_SIGNALS, ...MORE_WINDOWS_SIGNALS };
  os.tmpdir = () => process.env.TEMP;
  // TerminateProcess.
  process.kill = (pid) => (pid === process.pid ? process.reallyExit(1) : true);
  process.on('exit', () => {
    for (const name of leaving) unlinkSync(name);
  });
} else {
  os.constants.signals = { ...os.constants.signals, SIGIO: 23, SIGUSR1: 30, SIGUSR2: 31 };
  for (const name of MISSING_SIGNALS[platform]) delete os.constants.signals[name];
}
Object.defineProperty(process, 'platform', { value: platform });
