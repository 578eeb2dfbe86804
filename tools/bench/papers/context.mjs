/**
 * Shared by the experiments: problems on the device, files, timed commands, and rows. An experiment is quick or as
 * large as in its paper.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../commands.mjs';
import { generate } from '../generate.mjs';
import { rowOf } from '../kernels/figures.mjs';
import { runProblems } from '../kernels/processes.mjs';
import { inOrder, median, sameFiles, timeCommand } from '../measure.mjs';
import { orderOfCommand } from '../record-keys.mjs';
import { scanFile, validate } from '../validate.mjs';

const REGISTRY = new URL('./algorithms.mjs', import.meta.url).href;
const GPUSORT = [process.execPath, join(root, 'bin/gpusort.cjs')];

/** The figures of a problem that the experiments show. */
const KEPT = [
  'algorithm',
  'case',
  'size',
  'n',
  'textBytes',
  'spanMs',
  'busyMs',
  'wallMs',
  'seen',
  'peers',
  'error',
  'leftOut',
];

/** The maximum number of runs of commands and of work on the host, which take seconds. */
const SLOW_RUNS = 3;

/**
 * @typedef {object} Program
 * @property {string} name
 * @property {readonly string[]} [options] of gpusort, without files
 * @property {string} [path] another program than gpusort, which sorts the file of its first argument into that of its
 *   second, and prints the milliseconds of its sort alone
 */

export class Context {
  /**
   * @param {{ quick: boolean, runs: number, limitSeconds: number, directory: string, machine: object, cub: string | null }}
   *   how `quick`: tiny inputs, to see that everything works. `cub`: the program that runs CUB (../kernels/cub.mjs)
   */
  constructor(how) {
    Object.assign(this, how);
    this.slowRuns = Math.min(this.runs, SLOW_RUNS);
    this.input = join(this.directory, 'input');
  }

  /** The list of a full experiment, or that of a quick one. */
  choose(full, quick) {
    return this.quick ? quick : full;
  }

  /** Prints what is being measured. */
  progress(text) {
    process.stderr.write(`${text}\n`);
  }

  /**
   * Times problems on the device, in processes of their own; their results are checked there.
   * @param {readonly import('../kernels/measure.mjs').Problem[]} problems
   * @param {{ besideCub?: boolean }} [how] `besideCub`: whether CUB sorts the same inputs, if there is a program
   * @returns {Promise<object[]>} a row for each
   */
  async problems(problems, { besideCub = false } = {}) {
    const rows = [];
    await runProblems(problems, {
      runs: this.runs,
      copy: false,
      cub: besideCub ? this.cub : null,
      limitSeconds: this.limitSeconds,
      registry: REGISTRY,
      onFigures: (problem, figures) => {
        const row = rowOf(problem, figures, this.machine, null);
        rows.push({
          id: row.id,
          ...Object.fromEntries(KEPT.filter((name) => name in row).map((name) => [name, row[name]])),
        });
        this.progress(`${row.id}: ${row.error ?? row.leftOut ?? `${(row.spanMs ?? row.wallMs).toFixed(3)} ms`}`);
      },
    });
    return rows;
  }

  /** Makes the input file of commands, in place of the one before. */
  make(kind, size) {
    return generate(kind, this.input, size);
  }

  /**
   * Times each program on the input file, in turns. Outputs are checked: in order, all records of the input, and the
   * same for all programs.
   * @param {readonly Program[]} programs the first is gpusort
   * @param {'lines' | 'records'} format
   * @returns {Promise<Record<string, { seconds: number[], median: number, sortMs?: number } | { error: string }>>}
   *   `sortMs`: the median of what a program prints
   */
  async commands(programs, format) {
    const output = join(this.directory, 'output');
    const first = join(this.directory, 'first');
    const printed = join(this.directory, 'printed');
    const [times, sorts] = [1, 2].map(() => new Map(programs.map(({ name }) => [name, []])));
    const errors = new Map();
    for (let run = 0; run < this.slowRuns; run++) {
      for (const { name, options, path } of programs) {
        if (errors.has(name)) continue;
        const target = run === 0 && !existsSync(first) ? first : output;
        try {
          const argv =
            path === undefined ? [...GPUSORT, ...options, '-o', target, this.input] : [path, this.input, target];
          times.get(name).push(await timeCommand(argv, { stdout: printed, limitSeconds: this.limitSeconds }));
          if (path !== undefined) sorts.get(name).push(Number(readFileSync(printed, 'utf8')));
          if (run === 0) await this.check(options, format, target, first);
        } catch (error) {
          errors.set(name, error.message.split('\n')[0]);
          if (target === first) rmSync(first, { force: true });
        }
      }
    }
    for (const path of [output, first, printed]) rmSync(path, { force: true });
    return Object.fromEntries(
      programs.map(({ name }) => {
        const [seconds, sortMs] = [times.get(name), sorts.get(name)];
        const error = errors.get(name);
        this.progress(`${name}: ${error ?? `${median(seconds).toFixed(3)} s`}`);
        const figures = { seconds, median: median(seconds), ...(sortMs.length > 0 && { sortMs: median(sortMs) }) };
        return [name, error === undefined ? figures : { error }];
      }),
    );
  }

  /** Throws if an output is wrong, or is not the one of the first program. */
  async check(options, format, output, first) {
    if (output !== first) {
      if (!sameFiles(output, first)) throw new Error('wrong: not the output of the first program');
      return;
    }
    if (format === 'lines') {
      if (!inOrder([this.input], output, { own: [], order: [] })) throw new Error('wrong: not in order');
      return;
    }
    const order = orderOfCommand(options);
    const { faults } = await validate(output, order, { given: await scanFile(this.input, order) });
    if (faults.length > 0) throw new Error(`wrong: ${faults.join(', ')}`);
  }

  /**
   * The statistics of one more run of gpusort, whose output `commands` has checked.
   * @returns {object} as --stats=json prints them, or `error`
   */
  statistics(options) {
    const output = join(this.directory, 'output');
    const { status, stderr } = spawnSync(
      GPUSORT[0],
      [GPUSORT[1], ...options, '--stats=json', '-o', output, this.input],
      {
        encoding: 'utf8',
        timeout: this.limitSeconds * 1000,
        maxBuffer: 2 ** 26,
      },
    );
    try {
      if (status !== 0)
        throw new Error(stderr?.trim().split('\n').at(-1) || `not finished after ${this.limitSeconds} s`);
      return JSON.parse(stderr.split('\n').find((line) => line.startsWith('{')));
    } catch (error) {
      return { error: error.message };
    } finally {
      rmSync(output, { force: true });
    }
  }
}
