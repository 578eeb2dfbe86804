/**
 * How the built modules' contracts are called. Modules are loaded when they are run, so that tables and plots need no build.
 */

/** A module of dist/gpu, for example `radix-sort/index`. */
export const built = (module) => import(`../../../dist/gpu/${module}.js`);

/**
 * What runs. `load` compiles; `prepare` makes what is no part of the sort (once for each input, not timed), which `run` finds as
 * `prepared`, from `scratch`; `run` submits the sort and returns the arrays that hold it (keys, segmented, merge), or an order of the
 * pool (strings).
 * @typedef {object} Runner
 * @property {(gpu: object, one: import('./cases.mjs').Case) => Promise<unknown>} load
 * @property {(context: Context) => Promise<unknown>} [prepare]
 * @property {(context: Context & { prepared: unknown }) => Promise<object>} run
 * @property {(context: Context, result: object) => Promise<object>} [place] puts a result that lies on the host where it is checked, not timed
 * @property {() => Promise<unknown>} [end] ends what was started besides
 * @property {(context: Context & { prepared: unknown }) => Promise<object>} [look] runs once more, not timed, and returns what the sort had to do
 *
 * `input` of fixed keys (keys.mjs): `n`, `from` (restored before each run) and `spare` (KeyArrays), `hostBegins` (Uint32Array) and `begins`
 * (its buffer: where segments begin, n at the end), `segments` (how many). Of strings (strings.mjs): `n`, `textBytes`, `records`, `ordering`.
 * @typedef {{ gpu: object, pool: object, scratch: object, one: import('./cases.mjs').Case, input: object }} Context
 */

/**
 * A KeySort (src/gpu/keys.ts): the export `name` of a built module returns it.
 * @param {(exports: object) => object | undefined} tuning what it is given, made of the module's exports; nothing: as it is by itself
 * @returns {() => Promise<Runner>}
 */
export function keySort(module, name, tuning = () => undefined) {
  return async () => {
    const exports = await built(module);
    const sort = exports[name](tuning(exports));
    return {
      load: (gpu, { spec }) => sort.load(gpu, spec),
      run: ({ gpu, scratch, one: { spec }, input: { from, spare, n } }) => sort.sort(gpu, scratch, spec, from, spare, n),
    };
  };
}

/**
 * The merge of two sorted runs of half of the keys each (src/gpu/merge-path).
 * @param {object} tuning
 * @returns {() => Promise<Runner>}
 */
export function twoRuns(tuning) {
  return async () => {
    const { loadMerges, mergeTwo } = await built('merge-path/merge');
    return {
      load: (gpu, { spec }) => loadMerges(gpu, spec, tuning),
      run: async ({ gpu, scratch, one: { spec }, input: { from, spare, n } }) => {
        await mergeTwo(gpu, scratch, spec, from, spare, n / 2, n / 2, tuning);
        return spare;
      },
    };
  };
}

/**
 * A sort by tiles (src/gpu/segmented-sort) with more arguments behind the count, the last of which takes statistics.
 * @param {(input: object) => unknown[]} more those in between
 * @returns {() => Promise<Runner>}
 */
export function tileSort(module, name, more) {
  return async () => {
    const sort = (await built(module))[name]();
    const { tileOf } = await built('segmented-sort/tile-merges');
    const run = ({ gpu, scratch, one: { spec }, input }, tell) => sort.sort(gpu, scratch, spec, input.from, input.spare, input.n, ...more(input), tell);
    return {
      load: (gpu, { spec }) => sort.load(gpu, spec),
      run: (context) => run(context),
      look: async (context) => {
        let seen;
        await run(context, (statistics) => { seen = statistics; });
        return { ...seen, tile: tileOf(context.gpu, context.one.spec, {}) };
      },
    };
  };
}

/**
 * An OrderStage (src/gpu/engine/stages.ts): `find` takes it from a built module.
 * @returns {() => Promise<Runner>}
 */
export function stringSort(module, find) {
  return async () => {
    const stage = find(await built(module));
    const { ORDERING } = await import('./strings.mjs');
    return {
      load: (gpu) => stage.load(gpu, ORDERING),
      run: ({ gpu, pool, input: { records } }) => stage.order(gpu, pool, records, ORDERING, { slices: null, commonPrefix: 0 }),
    };
  };
}
