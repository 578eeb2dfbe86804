/**
 * The bundle of each module. `core` and `cpu` have what every sort of lines loads, so their modules are listed one by
 * one: test/structure/bundles.test.ts compares the list with what sorts load. Other modules are grouped by what uses
 * them together; a bundle is loaded when one of its exports is first used.
 */
import { join } from 'node:path';

/** The modules of `core`, by directory. */
const CORE = {
  '': ['sort'],
  cli: ['main', 'presets', 'request'],
  'cli/options': [
    'cluster-rows',
    'genomics-rows',
    'option',
    'ordering-rows',
    'other-rows',
    'own-rows',
    'parsers',
    'table',
  ],
  'cli/parse': [
    'argv',
    'cluster',
    'converted',
    'environment',
    'genomics',
    'getopt',
    'key-definition',
    'make-job',
    'option-values',
    'ordering',
    'record-key',
    'tables',
    'values',
  ],
  'cli/terminal': ['descriptors', 'messages', 'progress', 'signals'],
  codecs: ['detect'],
  engines: ['contract', 'open'],
  'engines/gpu/records/keyed-lines': ['key-support'],
  input: [
    'boundary',
    'chunks',
    'decompress',
    'files',
    'fill-chunk',
    'framed',
    'header',
    'inputs',
    'keyed-bytes',
    'option-files',
    'order-chunks',
    'record-stream',
    'stream',
  ],
  job: ['algorithm-table', 'job', 'order-list'],
  keys: ['compare', 'presence'],
  'keys/collation': ['collation'],
  output: [
    'file-sink',
    'filter',
    'filters',
    'mates',
    'parents',
    'put-in-place',
    'restored',
    'saving',
    'sink',
    'sorted-text',
    'target',
    'writers',
  ],
  plan: ['buckets', 'cpu-plan', 'decide', 'engine', 'explain', 'facts', 'make-plan', 'memory'],
  records: ['fastx-kernels', 'formats', 'record-finder'],
  report: ['cleanup', 'digest', 'recorder', 'warnings'],
  runs: ['buckets', 'combine', 'keep', 'large', 'partition', 'store', 'text-run'],
  system: ['binary-search', 'in-order', 'links', 'promises', 'temporary-files', 'transfer'],
  verify: ['verification'],
};

/** The modules of `cpu` besides those of src/engines/cpu/, by directory. A thread that sorts loads `cpu` alone. */
const CPU = {
  job: ['ordering'],
  keys: ['contigs', 'fields', 'key-maker', 'keyed', 'problem', 'record-encoding', 'small-records'],
  report: ['names', 'units'],
  system: ['errors', 'file-system', 'installed', 'limits', 'memory', 'platform', 'platform-defaults', 'resumable'],
  'system/threads': ['buffers', 'crew', 'posted-error', 'serve'],
  verify: ['kernels'],
};

/** The other bundles and the beginnings of their modules' names: the first that fits counts. */
const BUNDLES = [
  ['thread', 'engines/worker.ts'],
  ['cpu', 'engines/cpu/'],
  ['gpu', 'engines/gpu/'],
  ['cluster', 'cluster/', 'cli/parse/cluster'],
  ['help', 'cli/help/', 'cli/options/', 'report/print-stats', 'report/timeline', 'report/ties', 'cli/drawing'],
  [
    'errors',
    'cli/parse/usage',
    'cli/parse/other-tools',
    'cli/parse/warnings',
    'input/locate-problem',
    'system/system-texts',
  ],
  ['collation', 'keys/collation/', 'engines/collate/', 'plan/collated'],
  ['genomics', 'records/', 'output/index', 'output/convert', 'input/fast'],
  ['codecs', 'codecs/', 'input/inflate', 'input/compressed', 'output/compress'],
  ['verify', 'verify/', 'check'],
  ['more', ''],
];

const filesOf = (rooms) =>
  Object.entries(rooms).flatMap(([room, names]) => names.map((name) => join(room, `${name}.ts`)));

/** The files of the core's modules in src/. */
export const CORE_MODULES = filesOf(CORE);
const listed = new Map([...CORE_MODULES.map((file) => [file, 'core']), ...filesOf(CPU).map((file) => [file, 'cpu'])]);

/** The bundle of a module, which is named by its file in src/. */
export function bundleOf(module) {
  const named = listed.get(module);
  if (named !== undefined) return named;
  return BUNDLES.find(([, ...beginnings]) => beginnings.some((beginning) => module.startsWith(beginning)))[0];
}
