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
    const { runMerge } = await built('keys/merge-path/merge');
    const { load, merge } = runMerge(tuning);
    return {
      load: (gpu, { spec }) => load(gpu, spec),
      run: ({ scratch, one: { spec, distribution }, input: { from, spare, n } }) =>
        merge(scratch, spec, from, spare, [0, n - n * SECOND_RUN[distribution], n]),
    };
  };
}

/** @returns {() => Promise<Runner>} runs a segmented sort */
export function segmented(tuning = {}) {
  return tileSort('keys/segmented-sort/segmented-sort', tuning, ({ segmentedSort }, onStatistics) => {
    const { load, sort } = segmentedSort(tuning);
    const parts = ({ n, begins, segments }) => ({ count: n, segments: { begins, segments }, statistics: onStatistics });
    return { load, sort: (scratch, spec, input) => sort(scratch, spec, input.from, input.spare, parts(input)) };
  });
}

/** @returns {() => Promise<Runner>} runs a locality sort */
export function locality(tuning = {}) {
  return tileSort('keys/locality-sort/locality-sort', tuning, ({ localitySort }, onStatistics) => {
    const { load, sort } = localitySort(tuning, onStatistics);
    return { load, sort: (scratch, spec, { from, spare, n }) => sort(scratch, spec, from, spare, n) };
  });
}

/** Runs a sort by tiles, which `make` makes of its module and of a function that receives statistics, if any. */
function tileSort(module, tuning, make) {
  return async () => {
    const exports = await built(module);
    const { tileOf } = await built('keys/segmented-sort/tile-merges');
    const { load, sort } = make(exports);
    return {
      load: (gpu, { spec }) => load(gpu, spec),
      run: ({ scratch, one: { spec }, input }) => sort(scratch, spec, input),
      look: async ({ gpu, scratch, one: { spec }, input }) => {
        let seen;
        const looking = make(exports, (statistics) => {
          seen = statistics;
        });
        await looking.sort(scratch, spec, input);
        return { ...seen, tile: tileOf(gpu, spec, tuning) };
      },
    };
  };
}

/**
 * Runs radix-refine (src/engines/gpu/strings/radix-refine/), whose first sort `find` makes from the exports of a built
 * module; without one, a radix sort.
 * @returns {() => Promise<Runner>}
 */
export function refined(module = null, find = () => undefined) {
  return async () => {
    const firstSort = module === null ? {} : { firstSort: find(await built(module)) };
    const refine = await built('strings/radix-refine/radix-refine');
    const { ORDERING } = await import('./strings.mjs');
    const tuning = { ...refine.RADIX_REFINE_TUNING, ...firstSort };
    return {
      load: (gpu) => refine.loadRadixRefine(gpu, ORDERING, tuning),
      run: ({ gpu, pool, input: { records } }) =>
        refine.radixRefine(gpu, pool, records, ORDERING, { commonPrefix: 0, tuning }),
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
