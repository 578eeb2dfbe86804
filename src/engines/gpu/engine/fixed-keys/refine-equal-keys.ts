/**
 * Orders records with equal keys by all their bytes: as tie groups, by the rounds of radix-refine. Most keys are
 * distinct in most inputs, so their kernels are compiled and the text is surveyed only if there are equal ones.
 */
import type { Ordering } from '../../../../job/job.js';
import { bind } from '../../device/binding.js';
import type { Gpu } from '../../device/device.js';
import { dispatch } from '../../device/dispatch.js';
import type { Scratch } from '../../device/pool.js';
import { type KeyArrays, keysOf } from '../../keys/key-sort.js';
import type { Records } from '../../records/records.js';
import { constantsOf } from '../../strings/radix-refine/constants.js';
import {
  keepFlags,
  loadRounds,
  type OnMerges,
  REFINE_TUNING,
  refineGroups,
  takePacked,
} from '../../strings/radix-refine/rounds.js';
import { loadSurvey, survey } from '../../strings/radix-refine/survey.js';
import { loadTieGroups, selectTied, type TieContext } from '../../strings/ties/tie-groups.js';
import type { KeyForm } from './form.js';

const WORKGROUP = 256;

/** Compiles what is needed to find equal keys. */
export function loadEqualKeys(gpu: Gpu, form: KeyForm, ordering: Ordering): Promise<unknown> {
  return Promise.all([
    loadTieGroups(gpu, constantsOf(ordering).records, false),
    gpu.pipelines.load('engine/fixed-keys/ties', form.keys),
  ]);
}

/** Puts the record numbers that are the values of `sorted` into their final places. */
export async function refineEqualKeys(
  gpu: Gpu,
  scratch: Scratch,
  form: KeyForm,
  records: Records,
  ordering: Ordering,
  sorted: KeyArrays,
  merges: OnMerges | undefined,
): Promise<void> {
  const { count } = records;
  const order = sorted.values!;
  const context: TieContext = { gpu, scratch, records, constants: constantsOf(ordering).records };
  const groups = await selectTied(
    context,
    { numbers: order, tagged: false, count, old: null, depth: form.keyLength },
    (pass, members, heads) => {
      dispatch(
        gpu,
        pass,
        'engine/fixed-keys/ties',
        form.keys,
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
  await refineGroups(
    {
      ...context,
      ordering,
      survey: await survey(gpu, scratch, records, ordering, 0),
      tuning: REFINE_TUNING,
      order,
      keep: await keepFlags(scratch, ordering, count),
      merges,
    },
    groups,
    await takePacked(scratch, groups.count),
    await takePacked(scratch, groups.count),
  );
}
