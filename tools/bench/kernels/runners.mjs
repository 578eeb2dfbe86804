/** Calls the built modules by their contracts. Modules are loaded when they run, so that tables need no build. */
import { SECOND_RUN } from './cases.mjs';

/** A module of dist/engines/gpu, for example `keys/radix-sort/radix-sort`. */
export const built = (module) => import(`../../../dist/engines/gpu/${module}.js`);

/**
 * What runs a sort.
 * - `load` compiles kernels.
 * - `prepare` makes what is not part of the sort from `scratch`: once for each input, not timed. `run` receives it as
 *   `prepared`.
 * - `run` submits the sort. It returns the arrays that hold the result (keys, segmented, merge) or an order from the
 *   pool (strings).
 * @typedef {object} Runner
 * @property {(gpu: object, one: import('./cases.mjs').Case) => Promise<unknown>} load
 * @property {(context: Context) => Promise<unknown>} [prepare]
 * @property {(context: Context & { prepared: unknown }) => Promise<object>} run
 * @property {(context: Context, result: object) => Promise<object>} [place] moves a result from the host to where it is
 *   checked, not timed
 * @property {() => Promise<unknown>} [end] ends threads and the like that `open` started
 * @property {(context: Context & { prepared: unknown }) => Promise<object>} [look] runs once more, not timed, and
 *   returns what the sort did
 *
 * `input` of fixed keys (keys.mjs): `n`; `from` (restored before each run) and `spare` (KeyArrays); `hostBegins`
 * (Uint32Array) and its buffer `begins`, where segments begin, with n at the end; `segments`, their number. Of strings
 * (strings.mjs): `n`, `textBytes`, `records`, `ordering`.
 * @typedef {{ gpu: object, pool: object, scratch: object, one: import('./cases.mjs').Case, input: object }} Context
 */

/**
 * Runs a KeySort (src/engines/gpu/keys/key-sort.ts), which the export `name` of a built module returns.
 * @param {(exports: object) => object | undefined} tuning makes the argument of that export from the module's exports;
 *   default: none
 * @returns {() => Promise<Runner>}
 */
export function keySort(module, name, tuning = () => undefined) {
  return async () => {
    const exports = await built(module);
    const sort = exports[name](tuning(exports));
    return {
      load: (gpu, { spec }) => sort.load(gpu, spec),
      run: ({ scratch, one: { spec }, input: { from, spare, n } }) => sort.sort(scratch, spec, from, spare, n),
    };
  };
}

/**
 * Runs the merge of two sorted runs (src/engines/gpu/keys/merge-path).
 * @param {object} tuning
 * @returns {() => Promise<Runner>}
 */
export function twoRuns(tuning) {
  return async () => {
    const { loadMerges, mergeRuns } = await built('keys/merge-path/merge');
    return {
      load: (gpu, { spec }) => loadMerges(gpu, spec, tuning),
      run: ({ scratch, one: { spec, distribution }, input: { from, spare, n } }) =>
        mergeRuns(scratch, spec, from, spare, [0, n - n * SECOND_RUN[distribution], n], tuning),
    };
  };
}

/**
 * Runs a sort by tiles (src/engines/gpu/keys/segmented-sort), which has more arguments after the count; the last one receives
 * statistics.
 * @param {(input: object) => unknown[]} more the arguments in between
 * @returns {() => Promise<Runner>}
 */
export function tileSort(module, name, more) {
  return async () => {
    const sort = (await built(module))[name]();
    const { tileOf } = await built('keys/segmented-sort/tile-merges');
    const run = ({ scratch, one: { spec }, input }, onStatistics) =>
      sort.sort(scratch, spec, input.from, input.spare, input.n, ...more(input), onStatistics);
    return {
      load: (gpu, { spec }) => sort.load(gpu, spec),
      run: (context) => run(context),
      look: async (context) => {
        let seen;
        await run(context, (statistics) => {
          seen = statistics;
        });
        return { ...seen, tile: tileOf(context.gpu, context.one.spec, {}) };
      },
    };
  };
}

/**
 * Runs an OrderStage (src/engines/gpu/strings/entries.ts), which `find` takes from a built module.
 * @returns {() => Promise<Runner>}
 */
export function stringSort(module, find) {
  return async () => {
    const stage = find(await built(module));
    const { ORDERING } = await import('./strings.mjs');
    return {
      load: (gpu) => stage.load(gpu, ORDERING),
      run: ({ gpu, pool, input: { records } }) =>
        stage.order(gpu, pool, records, ORDERING, { slices: null, commonPrefix: 0 }),
    };
  };
}
