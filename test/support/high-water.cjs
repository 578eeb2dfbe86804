// Loaded into a process before anything else (NODE_OPTIONS): at its end writes what memory it took, as JSON, to the file that HIGH_WATER names.
// Not maxRSS of getrusage: a process inherits that of the one that started it.
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
