/**
 * Sorts fixed records by keys of at most 128 bits with any sort of fixed keys, and merges slices of them by merge path.
 * A record whose bytes are all in its key and value is written from these; others are gathered. If equal keys do not
 * decide the order, their records go through radix-refine's rounds.
 */
import type { Ordering } from '../../../../job/ordering.js';
import type { Gpu } from '../../device/device.js';
import { bind, Kernel, readWords, submitPass } from '../../device/dispatch.js';
import { type DevicePool, Scratch } from '../../device/pool.js';
import { type FixedKeySpec, type KeyArrays, type KeySort, keysOf, keyWords } from '../../keys/key-sort.js';
import type { LocalitySort } from '../../keys/locality-sort/locality-sort.js';
import { type RunMerge, runMerge } from '../../keys/merge-path/merge.js';
import {
  type HeldRecords,
  type OrderedRecords,
  type Records,
  recordBindings,
  textBufferBytes,
} from '../../records/records.js';
import {
  loadRounds,
  type OnMerges,
  openRefinement,
  refineGroups,
  takePacked,
} from '../../strings/radix-refine/rounds.js';
import { constantsOf, loadSurvey, survey } from '../../strings/radix-refine/survey.js';
import { dropEqual, loadDropEqual } from '../../strings/ties/drop-equal.js';
import { loadTieGroups, selectTied, type TieContext } from '../../strings/ties/tie-groups.js';
import { type KeyForm, keyForm } from './form.js';

const WORKGROUP = 256;
/** Words of text that one workgroup of engine/fixed-keys/text.wgsl writes. */
const TILE_WORDS = 1024;
/** The values of WITH in fixed-keys/keys.wgsl. */
const WITH = { packed: 0, numbered: 1, carried: 2 } as const;

/** A sort, and a merge of slices that are already in order, for orderings that have a KeyForm. */
interface FixedKeys {
  load(gpu: Gpu, ordering: Ordering): Promise<unknown>;
  loadMerge(gpu: Gpu, ordering: Ordering): Promise<unknown>;
  order(gpu: Gpu, pool: DevicePool, records: Records, ordering: Ordering, options: Options): Promise<OrderedRecords>;
}

interface Options {
  /** Record numbers [0, ..., count] between which records are already in order, to be merged; null: sort everything. */
  readonly slices: readonly number[] | null;
  /** Receives statistics of the merges of tiles, if the sort has any. */
  readonly merges?: OnMerges | undefined;
}

const MERGE = runMerge();

/** Sorts by `sort`, and merges by `merge`. */
export function fixedKeys(sort: KeySort | LocalitySort, merge: RunMerge = MERGE): FixedKeys {
  return {
    load: (gpu, ordering) => {
      const form = formOf(ordering);
      return Promise.all([loadForm(gpu, form, ordering), sort.load(gpu, form.spec)]);
    },
    loadMerge: (gpu, ordering) => {
      const form = formOf(ordering);
      return Promise.all([loadForm(gpu, form, ordering), merge.load(gpu, form.spec)]);
    },
    order: (_, pool, records, ordering, { slices, merges }) =>
      orderByKeys(pool, records, ordering, merges, (scratch, form, from, spare) =>
        slices === null
          ? sortAll(scratch, sort, form.spec, { from, spare, count: records.count }, merges)
          : merge.merge(scratch, form.spec, from, spare, slices),
      ),
  };
}

function formOf(ordering: Ordering): KeyForm {
  const form = keyForm(ordering);
  if (form === null) throw new Error('keys of this ordering are not fixed');
  return form;
}

function loadForm(gpu: Gpu, form: KeyForm, ordering: Ordering): Promise<unknown> {
  const { keys, text, distinct } = kernelsOf(gpu, form);
  return Promise.all([
    keys.load(),
    form.kind === 'numbered' ? null : text.load(),
    form.refines ? loadEqualKeys(gpu, form, ordering) : null,
    ordering.unique ? Promise.all([loadDropEqual(gpu), distinct.load()]) : null,
  ]);
}

function kernelsOf(gpu: Gpu, { kind, layout, keys }: KeyForm) {
  const made = { ...layout, overrides: { ...layout.overrides, WITH: WITH[kind] } };
  return {
    keys: new Kernel(gpu, 'engine/fixed-keys/keys', made),
    text: new Kernel(gpu, 'engine/fixed-keys/text', layout),
    distinct: new Kernel(gpu, 'engine/fixed-keys/distinct', keys),
    ties: new Kernel(gpu, 'engine/fixed-keys/ties', keys),
  };
}

async function orderByKeys(
  pool: DevicePool,
  records: Records,
  ordering: Ordering,
  merges: OnMerges | undefined,
  sortKeys: (scratch: Scratch, form: KeyForm, from: KeyArrays, spare: KeyArrays) => Promise<KeyArrays>,
): Promise<OrderedRecords> {
  const form = formOf(ordering);
  const { count } = records;
  const scratch = new Scratch(pool);
  try {
    const from = await takeKeys(scratch, form, count);
    await makeKeys(scratch, form, records, from);
    const sorted = await sortKeys(scratch, form, from, await takeKeys(scratch, form, count));
    if (form.kind !== 'numbered') return heldByKeys(scratch, form, sorted, count);
    const order = sorted.values!;
    if (ordering.unique) return await firstOfEqual(scratch, form, sorted, count);
    if (form.refines) await refineEqualKeys(scratch, form, sorted, { records, ordering, merges });
    return { order: scratch.keep(order), count };
  } finally {
    scratch.end();
  }
}

async function takeKeys(scratch: Scratch, { spec }: KeyForm, count: number): Promise<KeyArrays> {
  return {
    keys: await scratch.take(count * 4 * keyWords(spec), 'keys'),
    values: spec.values ? await scratch.take(count * 4, 'values') : null,
  };
}

async function makeKeys(scratch: Scratch, form: KeyForm, records: Records, { keys, values }: KeyArrays): Promise<void> {
  const { gpu } = scratch;
  const { count } = records;
  const nothing = values === null ? await scratch.take(16, 'nothing') : null;
  submitPass(gpu, 'prefix', 'keys', (pass) => {
    kernelsOf(gpu, form).keys.dispatch(
      pass,
      {
        text: recordBindings(records).text,
        keys: keysOf(form.spec, { keys, values }, count),
        values: nothing ?? bind(values!, count * 4),
      },
      { n: count },
      Math.ceil(count / WORKGROUP),
    );
  });
  if (nothing !== null) scratch.drop(nothing);
}

/** A locality sort goes only as far as the keys need. Whether that sufficed is read back. */
async function sortAll(
  scratch: Scratch,
  sort: KeySort | LocalitySort,
  spec: FixedKeySpec,
  { from, spare, count }: { readonly from: KeyArrays; readonly spare: KeyArrays; readonly count: number },
  merges: OnMerges | undefined,
): Promise<KeyArrays> {
  const { gpu } = scratch;
  if (!('sortNear' in sort)) return sort.sort(scratch, spec, from, spare, count);
  const near = await sort.sortNear(scratch, spec, from, spare, count);
  try {
    if ((await readWords(gpu, near.left)).some((word) => word !== 0)) near.finish();
    if (merges !== undefined) merges(await near.statistics());
    return near.result;
  } finally {
    near.end();
  }
}

/** Records that are written from sorted keys and values. */
function heldByKeys(scratch: Scratch, form: KeyForm, { keys, values }: KeyArrays, count: number): HeldRecords {
  const { gpu } = scratch;
  const buffers = (values === null ? [keys] : [keys, values]).map((buffer) => scratch.keep(buffer));
  return {
    buffers,
    count,
    write: async (to, first, most) => {
      const textBytes = most * form.size;
      const text = await to.take(textBufferBytes(textBytes), 'sorted text');
      const sortedKeys = keysOf(form.spec, { keys, values }, count);
      submitPass(gpu, 'gather', 'text of keys', (pass) => {
        kernelsOf(gpu, form).text.dispatch(
          pass,
          {
            keys: sortedKeys,
            values: values === null ? sortedKeys : bind(values, count * 4),
            out: bind(text, textBufferBytes(textBytes)),
          },
          { bytes: textBytes, first },
          Math.ceil(textBytes / 4 / TILE_WORDS),
        );
      });
      return { text, textBytes, starts: null, count: most };
    },
  };
}

/** Under `unique`: the numbers of the first records of equal keys. */
async function firstOfEqual(
  scratch: Scratch,
  form: KeyForm,
  sorted: KeyArrays,
  count: number,
): Promise<OrderedRecords> {
  const { gpu } = scratch;
  const keep = await scratch.take((count + 1) * 4, 'keep flags');
  submitPass(gpu, 'sort', 'distinct keys', (pass) => {
    kernelsOf(gpu, form).distinct.dispatch(
      pass,
      { keys: keysOf(form.spec, sorted, count), keep: bind(keep, count * 4) },
      { n: count },
      Math.ceil(count / WORKGROUP),
    );
  });
  return dropEqual(scratch, sorted.values!, keep, count);
}

/** Compiles what is needed to find equal keys. */
function loadEqualKeys(gpu: Gpu, form: KeyForm, ordering: Ordering): Promise<unknown> {
  const groups = loadTieGroups(gpu, constantsOf(ordering).records, { tagged: false });
  return Promise.all([groups, kernelsOf(gpu, form).ties.load()]);
}

/** The records of sorted keys, and the receiver of merge statistics. */
interface SortedRecords {
  readonly records: Records;
  readonly ordering: Ordering;
  readonly merges: OnMerges | undefined;
}

/** Puts the record numbers that are the values of `sorted` into their final places. */
async function refineEqualKeys(
  scratch: Scratch,
  form: KeyForm,
  sorted: KeyArrays,
  { records, ordering, merges }: SortedRecords,
): Promise<void> {
  const { gpu } = scratch;
  const { count } = records;
  const order = sorted.values!;
  const context: TieContext = { gpu, scratch, records, constants: constantsOf(ordering).records };
  const groups = await selectTied(
    context,
    { numbers: order, tagged: false, count, old: null, depth: form.keyLength },
    (pass, members, heads) => {
      kernelsOf(gpu, form).ties.dispatch(
        pass,
        {
          keys: keysOf(form.spec, sorted, count),
          members: bind(members, count * 4),
          heads: bind(heads, count * 4),
        },
        { n: count },
        Math.ceil(count / WORKGROUP),
      );
    },
  );
  if (groups === null) return;
  await Promise.all([loadRounds(gpu, ordering), loadSurvey(gpu, ordering)]);
  const packing = await survey(scratch, records, ordering, 0);
  await refineGroups(
    await openRefinement(scratch, records, ordering, { packing, order, merges }),
    groups,
    await takePacked(scratch, groups.count),
    await takePacked(scratch, groups.count),
  );
}
