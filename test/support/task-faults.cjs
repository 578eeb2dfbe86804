/**
 * Makes tasks of a distributed sort slow, or ends them; loaded before gpusort (node --require).
 * GPUSORT_TEST_TASKS=TASKS:WHAT:TIMES:FILE says which tasks (a regular expression), what happens when they sync their
 * files, and how often at most; FILE has a line for each time.
 */
const fs = require('node:fs');
const { isMainThread } = require('node:worker_threads');

const [tasks, what, times, file] = (process.env.GPUSORT_TEST_TASKS ?? '').split(':');
const name = String(process.argv[process.argv.indexOf('--cluster-task') + 1]);
const WHAT = {
  kill: () => process.kill(process.pid, 'SIGKILL'),
  abort: () => process.abort(),
  exit: () => {
    console.error('gpusort: fell over');
    process.exit(9);
  },
};

if (isMainThread && process.argv.includes('--cluster-task') && new RegExp(tasks).test(name)) {
  const { fsync } = fs;
  fs.fsync = (fd, done) => {
    const before = fs.existsSync(file) ? fs.readFileSync(file, 'latin1').split('\n').length - 1 : 0;
    if (before >= Number(times)) return fsync(fd, done);
    fs.appendFileSync(file, `${process.pid} ${name}\n`);
    if (what !== 'wait') return WHAT[what]();
    // Like a file system that never answers.
    setInterval(() => {}, 1000);
  };
}
