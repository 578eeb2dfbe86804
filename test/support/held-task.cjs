/**
 * Holds a task of a distributed sort before its results are synced; it can then be killed with its files incomplete.
 * Loaded before gpusort (node --require). GPUSORT_TEST_HELD is `DIR:SECONDS:TASK`: the first process of such a task
 * makes the file DIR/TASK and waits that long. Others do not wait. TASK may be `share` or `range` for each of them.
 */
const fs = require('node:fs');
const [directory, seconds, wanted] = (process.env.GPUSORT_TEST_HELD ?? '').split(':');
const task = (process.argv[process.argv.indexOf('--cluster-task') + 1] ?? '').split('/').at(-1);

function isFirst() {
  if (task !== wanted && task.split('-')[0] !== wanted) return false;
  try {
    fs.closeSync(fs.openSync(`${directory}/${task}`, 'wx'));
    return true;
  } catch {
    return false;
  }
}

if (process.argv.includes('--cluster-task') && wanted !== undefined) {
  const { fsync } = fs;
  fs.fsync = (fd, done) => {
    setTimeout(() => fsync(fd, done), isFirst() ? seconds * 1000 : 0);
  };
}
