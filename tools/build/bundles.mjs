/**
 * The bundle of each module. The bundles that sorts of lines load are listed module by module:
 * test/structure/bundles.test.ts compares the lists with what sorts load. Other modules are grouped by what uses
 * them together; a bundle is loaded when one of its exports is first used.
 */
import { join } from 'node:path';

/** What every start and every thread load, by directory. */
const BASE = {
  job: ['ordering'],
  report: ['names', 'units'],
  system: [
    'errors',
    'file-system',
    'installed',
    'limits',
    'memory',
    'platform',
    'platform-defaults',
    'promises',
    'resumable',
    'transfer',
  ],
};

/** From arguments to the end of a small sort. */
const CORE = {
  'cli/help': ['version'],
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
    'cluster',
    'tables',
    'record-key',
    'argv',
    'environment',
    'genomics',
    'getopt',
    'key-definition',
    'make-job',
    'option-values',
    'ordering',
    'values',
  ],
  'cli/terminal': ['descriptors', 'messages', 'signals'],
  codecs: ['detect'],
  job: ['algorithm-table', 'job', 'traits'],
  output: ['put-in-place', 'sorted-text', 'target', 'writers'],
  plan: ['engine'],
  records: ['formats'],
  report: ['cleanup', 'warnings'],
  run: ['at-once'],
  system: ['links', 'temporary-files'],
  'keys/collation': ['collation'],
};

/** What makes keys. */
const KEYS = {
  keys: ['contigs', 'fields', 'key-maker', 'keyed', 'problem'],
};

/** What every larger sort of lines loads besides. */
const SORT = {
  cli: ['complete-job'],
  'cli/terminal': ['huge-pages', 'named-input', 'progress', 'restart'],
  contract: ['decorated', 'engine'],
  'engines/cpu/bam': ['sizes'],
  'engines/gpu/records/keyed-lines': ['key-support'],
  input: [
    'beginning',
    'boundary',
    'chunks',
    'complete',
    'decompress',
    'files',
    'fill-chunk',
    'framed',
    'header',
    'inputs',
    'keyed-bytes',
    'misnamed',
    'option-files',
    'order-chunks',
    'read-descriptor',
    'recognize',
    'replay',
    'sequential-records',
    'stored-size',
  ],
  job: ['order-list'],
  keys: ['compare', 'presence'],
  output: ['file-sink', 'filter', 'filters', 'mates', 'parents', 'ready-pages', 'restored', 'saving', 'sink'],
  plan: ['buckets', 'counting', 'cpu-plan', 'explain', 'facts', 'make-plan', 'memory', 'bam'],
  records: ['fastx-kernels', 'record-finder', 'whole-records'],
  report: ['digest', 'recorder'],
  run: ['attempts', 'caller', 'decide', 'delivery', 'open-engine', 'run-job', 'sort', 'sort-attempt'],
  runs: [
    'buckets',
    'combine',
    'compact',
    'keep',
    'large',
    'large-order',
    'long-lines',
    'partition',
    'store',
    'text-run',
  ],
  system: ['binary-search', 'byte-source', 'growing-buffer', 'in-order', 'restartable'],
  verify: ['verification'],
};

/** What takes the sample of an input that several threads sort. */
const SAMPLE = {
  input: ['engine-sample', 'sample'],
  keys: ['splitters'],
};

/** What sorts on processors, besides src/engines/cpu/. A thread that sorts loads it, the base and the keys alone. */
const CPU = {
  keys: ['record-encoding', 'small-records'],
  'system/threads': ['buffers', 'crew', 'posted-error', 'serve'],
  verify: ['kernels'],
};

/** The other bundles and the beginnings of their modules' names: the first that fits counts. */
const BUNDLES = [
  ['thread', 'run/worker.ts'],
  ['codecs', 'engines/cpu/bam/', 'run/sort-bam', 'input/stretches'],
  ['cpu', 'engines/cpu/'],
  ['webgpu', 'engines/gpu/device/webgpu.ts'],
  ['gpu', 'engines/gpu/'],
  ['cluster', 'cluster/', 'cli/parse/cluster'],
  ['help', 'cli/help/', 'cli/options/', 'report/print-stats', 'report/timeline', 'report/ties', 'cli/drawing'],
  [
    'errors',
    'cli/parse/usage',
    'cli/terminal/colors',
    'cli/parse/other-tools',
    'cli/parse/other-words',
    'cli/parse/shell-words',
    'cli/parse/warnings',
    'input/locate-problem',
    'system/system-texts',
  ],
  ['collation', 'keys/collation/', 'engines/collate/', 'plan/collated', 'cli/parse/locale'],
  ['genomics', 'cli/parse/converted', 'records/', 'keys/orders', 'output/index', 'output/convert', 'input/fast'],
  [
    'codecs',
    'codecs/',
    'system/ordered-stage',
    'system/zlib',
    'system/garbage',
    'input/inflate',
    'input/compressed',
    'output/compress',
  ],
  ['verify', 'verify/', 'run/check'],
  ['more', ''],
];

const filesOf = (rooms) =>
  Object.entries(rooms).flatMap(([room, names]) => names.map((name) => join(room, `${name}.ts`)));

const LISTED = { base: BASE, core: CORE, keys: KEYS, sort: SORT, sample: SAMPLE, cpu: CPU };
const listed = new Map(
  Object.entries(LISTED).flatMap(([bundle, rooms]) => filesOf(rooms).map((file) => [file, bundle])),
);

/** The modules in src/ that are listed, by bundle. */
export const LISTED_MODULES = Object.fromEntries(
  Object.entries(LISTED).map(([bundle, rooms]) => [bundle, filesOf(rooms)]),
);

/** The bundle of a module, which is named by its file in src/. */
export function bundleOf(module) {
  const named = listed.get(module);
  if (named !== undefined) return named;
  return BUNDLES.find(([, ...beginnings]) => beginnings.some((beginning) => module.startsWith(beginning)))[0];
}
