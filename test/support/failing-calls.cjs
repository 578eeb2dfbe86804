/**
 * Loaded before gpusort (node --require): the call on files with number GPUSORT_TEST_FAULT=NUMBER:ERROR fails, or with ERROR `short` does only half.
 * Numbers count from 0, in the main thread, once the program's own files are loaded.
 */
const fs = require('node:fs');
const { isMainThread } = require('node:worker_threads');

const ASYNCHRONOUS = ['open', 'read', 'writev', 'fsync', 'ftruncate', 'close'];
const SYNCHRONOUS = ['openSync', 'readSync', 'fstatSync', 'lstatSync', 'linkSync', 'renameSync', 'unlinkSync'];
const [number, code] = (process.env.GPUSORT_TEST_FAULT ?? '-1:EIO').split(':');
let calls = 0;

/** A call on a file of the program or of Node itself; standard error must stay. */
const isOwn = ([first]) => first === 2 || (typeof first === 'string' && /node_modules|\/dist\/|^\/proc|\.json$/.test(first)) || first instanceof URL;
const due = (args) => !isOwn(args) && calls++ === Number(number);
const error = (name) => Object.assign(new Error(`${code}: injected, ${name}`), { code, syscall: name });

if (isMainThread) {
  for (const name of ASYNCHRONOUS) {
    const call = fs[name];
    fs[name] = (...args) => {
      if (!due(args)) return call(...args);
      const done = args.at(-1);
      if (code === 'short') {
        if (name === 'read') args[3] = Math.ceil(args[3] / 2);
        if (name === 'writev') args[1] = [args[1][0].subarray(0, Math.ceil(args[1][0].length / 2))];
        return call(...args);
      }
      if (name === 'close') return call(args[0], () => done(error(name)));
      return process.nextTick(() => done(error(name)));
    };
  }
  for (const name of SYNCHRONOUS) {
    const call = fs[name];
    fs[name] = (...args) => {
      if (!due(args) || code === 'short') return call(...args);
      throw error(name);
    };
  }
}
