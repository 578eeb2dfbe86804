/** The engine that --engine and --algorithm ask for; refuses algorithms that do not sort the input. Pure. */
import { type Algorithm, algorithmRow, algorithmsOn, INPUT_KINDS, type InputKind } from '../job/algorithm-table.js';
import type { Ordering, SortJob } from '../job/job.js';
import { isCollated } from '../keys/collation/collation.js';
import { GpusortError } from '../system/errors.js';

const ENGINES = ['gpu', 'cpu'] as const;
/** The longest keys that sorts of numbers take. */
const SHORT_KEY_BYTES = 16;

/** Throws `usage` if the engine does not have the algorithm, or the algorithm does not sort such input. */
export function requestedEngine({ ordering, engine, algorithm }: SortJob): 'auto' | 'gpu' | 'cpu' {
  if (isCollated(ordering)) {
    if (engine !== 'gpu') return 'cpu';
    throw new GpusortError(
      'usage',
      '--locale runs on --engine cpu only: ICU compares strings, and makes no keys that a GPU could sort by',
    );
  }
  if (algorithm === 'auto') return engine;
  const engines = ENGINES.filter((one) => algorithmRow(algorithm)[one].includes(inputKind(ordering)));
  if (engines.length === 0) throw doesNotSort(algorithm, inputKind(ordering), engine);
  if (engine !== 'auto' && !engines.includes(engine)) throw notOn(algorithm, inputKind(ordering), engines[0]);
  return engines.length > 1 ? engine : engines[0];
}

/** A remedy that names --engine cpu, as it helps this job: an algorithm that only GPUs have does not run there. */
export function remedyOnCpu(remedy: string, { ordering, algorithm }: Pick<SortJob, 'ordering' | 'algorithm'>): string {
  const runs = algorithm === 'auto' || algorithmRow(algorithm).cpu.includes(inputKind(ordering));
  return runs ? remedy : remedy.replace('--engine cpu', '--engine cpu without --algorithm');
}

/** The kind of input by which algorithms are accepted. */
function inputKind({ format, key, segments }: Ordering): InputKind {
  if (segments !== undefined) return 'segments';
  if (format.kind === 'lines') return 'lines';
  return (key.kind === 'bytes' ? key.length : format.size) > SHORT_KEY_BYTES ? 'longKeys' : 'shortKeys';
}

function doesNotSort(
  algorithm: Exclude<Algorithm, 'auto'>,
  kind: InputKind,
  engine: 'auto' | 'gpu' | 'cpu',
): GpusortError {
  const others = [...new Set((engine === 'auto' ? ENGINES : [engine]).flatMap((one) => algorithmsOn(one, kind)))];
  return new GpusortError(
    'usage',
    `--algorithm ${algorithm} does not sort ${INPUT_KINDS[kind]}: use ${['auto', ...others].join(', ')}`,
  );
}

function notOn(algorithm: Exclude<Algorithm, 'auto'>, kind: InputKind, only: 'gpu' | 'cpu'): GpusortError {
  const isAlways = ENGINES.every((one) => one === only || algorithmRow(algorithm)[one].length === 0);
  return new GpusortError(
    'usage',
    `--algorithm ${algorithm} ${isAlways ? 'runs' : `sorts ${INPUT_KINDS[kind]}`} on --engine ${only} only`,
  );
}
