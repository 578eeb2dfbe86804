/**
 * Shows how a CPU sort with many threads spends its time: sorts FILE several times and prints when each stage was
 * busy (--stats). Times cp, too.
 *
 *     node tools/bench/threads.mjs FILE [--runs N] [--threads 2,8,16] [-- SORT-OPTION...]
 *
 * Sorts the file to a new file beside it, and from pipe to pipe. Times of `read`, `order`, `merge` and `write` are in
 * milliseconds from the start of the process; `busy` is the time in which the stage did something.
 */
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const BINARY = fileURLToPath(new URL('../../bin/gpusort.cjs', import.meta.url));
const split = process.argv.indexOf('--');
const own = process.argv.slice(2, split < 0 ? undefined : split);
const options = split < 0 ? [] : process.argv.slice(split + 1);
const value = (name, standard) => (own.includes(name) ? own[own.indexOf(name) + 1] : standard);
const [file] = own;
const output = `${file}.sorted`;
const { NODE_EXTRA_CA_CERTS: _, ...env } = { ...process.env, LC_ALL: 'C', FILE: file, OUTPUT: output, GPUSORT: BINARY };

/** The wall time in milliseconds, and the text of standard error. */
function time(line) {
  rmSync(output, { force: true });
  const start = performance.now();
  const { status, stderr } = spawnSync('bash', ['-c', `set -o pipefail; ${line}`, 'bash', ...options], {
    env,
    encoding: 'latin1',
  });
  if (status !== 0) throw new Error(`${line}: ${stderr}`);
  return { wall: performance.now() - start, stderr };
}

const median = (values) => values.slice().sort((a, b) => a - b)[values.length >> 1];
const milliseconds = (time) => String(Math.round(time)).padStart(6);

function report(name, line) {
  const runs = Array.from({ length: Number(value('--runs', '5')) }, () => time(line));
  const middle = runs.find(({ wall }) => wall === median(runs.map((run) => run.wall)));
  console.log(`${name}: ${runs.map(({ wall }) => milliseconds(wall)).join('')} ms`);
  const json = middle.stderr.split('\n').find((text) => text.startsWith('{'));
  if (json === undefined) return;
  const { stages, notes, peakMemoryBytes: peak } = JSON.parse(json);
  for (const { stage, firstStartMs: from, lastEndMs: to, busyMs: busy, bytesPerSecond: rate } of stages) {
    console.log(
      `    ${stage.padEnd(6)} from ${milliseconds(from)} to ${milliseconds(to)} busy ${milliseconds(busy)}  ${rate === null ? '' : `${(rate / 1e9).toFixed(2)} GB/s`}`,
    );
  }
  console.log(`    peak ${(peak / 1e9).toFixed(2)} GB; ${notes.join('; ')}`);
}

report('cp', 'cp "$FILE" "$OUTPUT"');
report('cat | cat', 'cat "$FILE" | cat > "$OUTPUT"');
for (const threads of value('--threads', '16').split(',')) {
  const sort = `"$GPUSORT" --engine cpu --parallel ${threads} --stats=json "$@"`;
  report(`${threads} threads, -o`, `${sort} "$FILE" -o "$OUTPUT"`);
  report(`${threads} threads, >`, `${sort} "$FILE" > "$OUTPUT"`);
  report(`${threads} threads, from pipe to pipe`, `cat "$FILE" | ${sort} | cat > "$OUTPUT"`);
}
rmSync(output, { force: true });
