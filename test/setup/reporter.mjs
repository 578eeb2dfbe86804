/**
 * Adds to vitest's own report: files that break the rule of the quick tier, the state of a run that reached its time
 * limit, and notes for a run of the remaining files (run.mjs).
 */
// Environment: GPUSORT_TEST_LIMIT_S, the limit in seconds. GPUSORT_TEST_NOTES, a file for the notes.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';

/** Files with more processor time do not belong in `npm test`. */
const QUICK_SECONDS = 5;
const SLOWEST_SHOWN = 10;
/** The npm script of this run. */
function scriptName() {
  if (process.env.GPUSORT_TEST_TIER === 'nightly') return 'test:nightly';
  return process.env.GPUSORT_TEST_SLOW ? 'test:all' : 'test';
}
const SLOW_NAME = '.slow.test.ts';
/** A line of the head comment of a file that may take longer. The reason follows. */
const LONG = /^ \* @long\b/m;

const filesIn = (count) => `${count} ${count === 1 ? 'file' : 'files'}`;
const say = (line) => process.stderr.write(`${line}\n`);

/** A table of files, the slowest first. */
function slowest(notes) {
  return [...notes]
    .filter(([, { seconds }]) => seconds !== null)
    .sort((a, b) => b[1].seconds - a[1].seconds)
    .slice(0, SLOWEST_SHOWN)
    .map(([file, { seconds }]) => `  ${seconds.toFixed(1).padStart(6)} s  ${file}`);
}

export default class Reporter {
  /** By file: seconds of processor time, and whether its tests passed. */
  #notes = new Map();
  #running = new Set();
  #queued = new Set();
  #names = new Map();

  #nameOf(testModule) {
    const { moduleId } = testModule;
    const name = this.#names.get(moduleId) ?? relative(process.cwd(), moduleId);
    this.#names.set(moduleId, name);
    return name;
  }

  onInit() {
    const limit = Number(process.env.GPUSORT_TEST_LIMIT_S);
    if (limit > 0) setTimeout(() => this.#endLate(limit), limit * 1000).unref();
  }

  onTestRunStart(specifications) {
    for (const specification of specifications) this.#queued.add(this.#nameOf(specification));
  }

  onTestModuleQueued(testModule) {
    const name = this.#nameOf(testModule);
    this.#queued.delete(name);
    this.#running.add(name);
  }

  onTestModuleEnd(testModule) {
    const name = this.#nameOf(testModule);
    this.#running.delete(name);
    this.#queued.delete(name);
    const { processorSeconds = null } = testModule.meta();
    this.#notes.set(name, { seconds: processorSeconds, passed: testModule.state() !== 'failed' });
  }

  /** Writes the notes for `--after` (run.mjs). */
  #write(notes) {
    writeFileSync(notes, JSON.stringify({ files: Object.fromEntries(this.#notes) }));
  }

  onTestRunEnd() {
    const notes = process.env.GPUSORT_TEST_NOTES;
    if (notes) this.#write(notes);
    if (process.env.GPUSORT_TEST_TIER !== 'quick') return;
    const breaking = [...this.#notes].filter(
      ([file, { seconds }]) =>
        seconds > QUICK_SECONDS &&
        !file.endsWith(SLOW_NAME) &&
        !(existsSync(file) && LONG.test(readFileSync(file, 'utf8'))),
    );
    if (breaking.length === 0) return;
    say(
      `\ngpusort tests: ${filesIn(breaking.length)} took over ${QUICK_SECONDS} s of processor time. Split them, or name`,
    );
    say(`them *${SLOW_NAME}, so that npm test leaves them out:`);
    for (const line of slowest(breaking)) say(line);
  }

  /** Ends the run: lists the files that were running, had not begun, or took long. */
  #endLate(limit) {
    say(`\ngpusort tests: not finished after ${limit} s.`);
    say(`Running: ${[...this.#running].join(', ') || 'nothing'}`);
    say(`Not started: ${filesIn(this.#queued.size)}${[...this.#queued].map((name) => `\n  ${name}`).join('')}`);
    say(`The slowest of ${filesIn(this.#notes.size)} that finished:`);
    for (const line of slowest(this.#notes)) say(line);
    const notes = process.env.GPUSORT_TEST_NOTES || join(tmpdir(), `gpusort-tests-${process.pid}.json`);
    this.#write(notes);
    say('Set the limit in seconds by GPUSORT_TEST_LIMIT_S. To run what is left:');
    say(`  npm run ${scriptName()} -- --after ${notes}`);
    // The launcher ends the whole process group; without it, this process ends alone.
    process.send ? process.send('late') : process.exit(1);
  }
}
