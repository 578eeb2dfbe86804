/**
 * Makes one file call of gpusort fail; loaded before it (node --require). GPUSORT_TEST_FAULT=NUMBER:ERROR chooses the
 * call and the error code. With ERROR `short`, a read or write transfers only half its bytes. NUMBER counts from 0; it
 * counts calls of the main thread on files that are not the program's own. test/support/faults.ts does this in process.
 */
const fs = require('node:fs');
const { isMainThread } = require('node:worker_threads');

const ON_NAMES = ['open', 'openSync', 'lstatSync', 'linkSync', 'renameSync', 'unlinkSync'];
const ON_DESCRIPTORS = ['read', 'readSync', 'writev', 'fsync', 'ftruncate', 'close', 'fstatSync'];
const [number, code] = (process.env.GPUSORT_TEST_FAULT ?? '-1:EIO').split(':');
let calls = 0;

/** Descriptors of the files whose calls count: standard input, standard output and whatever is opened later. */
const counted = new Set([0, 1]);
const isOwnName = (name) =>
  name instanceof URL || /node_modules|\/dist\/|\/bin\/|^\/(proc(?!\/self\/fd\/)|sys|etc)\/|\.json$/.test(String(name));
const isOwn = (name, first) => (ON_DESCRIPTORS.includes(name) ? !counted.has(first) : isOwnName(first));
const failure = (name) => Object.assign(new Error(`${code}: injected, ${name}`), { code, syscall: name });

/** The arguments of a read or write, reduced to half as many bytes. */
function shortened(name, args) {
  const [fd, data, ...rest] = args;
  if (name === 'read' || name === 'readSync') return [fd, data, rest[0], Math.ceil(rest[1] / 2), ...rest.slice(2)];
  if (name === 'writev') return [fd, [data[0].subarray(0, Math.ceil(data[0].length / 2))], ...rest];
  return args;
}

function wrap(name) {
  const call = fs[name];
  const isSync = name.endsWith('Sync');
  fs[name] = (...args) => {
    if (isOwn(name, args[0])) return call(...args);
    const fails = calls++ === Number(number);
    if (name === 'close') counted.delete(args[0]);
    if (fails && code !== 'short') {
      if (isSync) throw failure(name);
      const done = args.at(-1);
      if (name === 'close')
        return call(args[0], () => {
          done(failure(name));
        });
      return process.nextTick(() => {
        done(failure(name));
      });
    }
    const given = fails ? shortened(name, args) : args;
    if (name === 'openSync') {
      const fd = call(...given);
      counted.add(fd);
      return fd;
    }
    if (name !== 'open') return call(...given);
    const done = given.at(-1);
    return call(...given.slice(0, -1), (error, fd) => {
      if (error === null) counted.add(fd);
      done(error, fd);
    });
  };
}

if (isMainThread) for (const name of [...ON_NAMES, ...ON_DESCRIPTORS]) wrap(name);
