/** The options that distribute a sort over tasks: rows of the option table, in the order of --help. */
import { GENOMICS_ROWS } from './genomics-rows.js';
import { CLUSTERS, inGroup } from './option.js';
import { ORDERING_ROWS } from './ordering-rows.js';
import { OTHER_ROWS } from './other-rows.js';
import { OWN_ROWS } from './own-rows.js';
import * as parsers from './parsers.js';

const DISTRIBUTING_ROWS = inGroup(CLUSTERS, [
  {
    long: 'cluster',
    argument: 'HOW',
    // One number stands for all, so that shells complete it.
    words: { choices: [['slurm'], ['local:2'], ['prepare']] },
    parse: parsers.scheduler,
    later: true,
    conflicts: ['check', 'debug', 'mate', 'mate-out', 'index'],
    help:
      'sort in many tasks that share a file system; HOW says what starts them: slurm (array jobs of Slurm), local:N ' +
      '(N processes of this host), or prepare (nothing: make the job directory, print its name and exit); needs -o ' +
      'FILE; the output is always checked',
  },
  {
    long: 'tasks',
    argument: 'N',
    parse: parsers.positiveCount,
    later: true,
    help: 'cut the input into about N shares, and the output into as many ranges, one task each',
  },
  {
    long: 'work-dir',
    argument: 'DIR',
    parse: parsers.text,
    completes: 'directory',
    later: true,
    help: 'make the job directory in DIR, which all nodes must see, instead of beside the -o FILE',
  },
  {
    long: 'slurm-options',
    argument: 'OPTS',
    parse: parsers.shellWords,
    later: true,
    help: "pass OPTS to sbatch, for example '--partition=long --mem=8G'; words are split as in a shell",
  },
  {
    long: 'output-parts',
    later: true,
    help: 'make the -o FILE a directory of sorted parts (part-00000 ...) with a manifest, instead of one file',
  },
  {
    long: 'detach',
    later: true,
    help: 'with --cluster slurm: exit when the tasks are submitted; the same command again goes on from there',
  },
]);

/** Options with which a task may be started: they cannot change its output. */
const OF_TASKS = [
  'buffer-size',
  'temporary-directory',
  'parallel',
  'engine',
  'algorithm',
  'chunk-size',
  'gpu-memory',
  'stats',
  'progress',
  'color',
];

const TASK_ROWS = inGroup(CLUSTERS, [
  {
    long: 'cluster-task',
    argument: 'DIR/TASK',
    parse: parsers.sameText('multiple cluster tasks specified'),
    completes: 'file',
    later: true,
    conflicts: [...ORDERING_ROWS, ...OTHER_ROWS, ...OWN_ROWS, ...GENOMICS_ROWS, ...DISTRIBUTING_ROWS]
      .filter(({ long, actsAtOnce }) => !actsAtOnce && !OF_TASKS.includes(long))
      .map(({ long }) => long),
    help:
      'run one task of the job directory DIR, for example share-0007 or range-0003; takes no FILE, and only options ' +
      'that do not change the output, such as -S, -T and --parallel',
  },
]);

export const CLUSTER_ROWS = [...DISTRIBUTING_ROWS, ...TASK_ROWS];
