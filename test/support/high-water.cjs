/**
 * Measures the peak memory of a process; loaded before anything else (NODE_OPTIONS). At exit it writes the peak
 * resident set and the size of V8's new space, in bytes, as JSON to the file HIGH_WATER. It does not use maxRSS of
 * getrusage, which a process inherits from its parent.
 */
const { isMainThread } = require('node:worker_threads');
const { readFileSync, writeFileSync } = require('node:fs');
const { getHeapSpaceStatistics } = require('node:v8');

if (isMainThread && process.env.HIGH_WATER !== undefined) {
  process.on('exit', () => {
    const resident = 1024 * Number(/^VmHWM:\s+([0-9]+) kB/m.exec(readFileSync('/proc/self/status', 'latin1'))[1]);
    const newSpace = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space').space_size;
    writeFileSync(process.env.HIGH_WATER, JSON.stringify({ resident, newSpace }));
  });
}
