/** The options that distribute a sort over tasks: rows of the option table, in the order of --help. */
import { GENOMICS_ROWS } from './genomics-rows.js';
import { CLUSTERS, inGroup } from './option.js';
import { ORDERING_ROWS } from './ordering-rows.js';
import { OTHER_ROWS } from './other-rows.js';
import { OWN_ROWS } from './own-rows.js';
import * as parsers from './parsers.js';

const DISTRIBUTING_ROWS = inGroup(CLUSTERS, 'cluster', [
  {
    long: 'cluster',
    argument: 'HOW',
    // The list is also used by shells for completion, so it has one example of local:N.
    words: { choices: [['slurm'], ['local:2'], ['prepare']] },
    parse: parsers.scheduler,
    later: true,
    conflicts: ['check', 'debug', 'mate', 'mate-out', 'index', 'dupes-output', 'per'],
    help:
      'sort in several tasks; HOW is slurm (run them on the nodes of a cluster), local:N (run N processes at a ' +
      'time on this host) or prepare (run none: make the job directory for another scheduler, and print its ' +
      'path); needs -o FILE; the output is always checked',
  },
  {
    long: 'tasks',
    argument: 'N',
    parse: parsers.positiveCount,
    later: true,
    help:
      'divide the input into about N shares and the output into as many ranges; each share and each range is a ' +
      'task',
  },
  {
    long: 'work-dir',
    argument: 'DIR',
    parse: parsers.text,
    completes: 'directory',
    later: true,
    help:
      'make the job directory in DIR instead of beside the -o FILE; all nodes must see it, and it needs as much ' +
      'space as the input',
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
    help:
      'make the -o FILE a directory instead of one file: sorted parts (part-00000, part-00001, ...) and a manifest ' +
      'that lists them',
  },
  {
    long: 'detach',
    later: true,
    help: 'with --cluster slurm, exit as soon as the tasks are submitted; run the same command again to continue',
  },
]);

/** The options that the command of a task may have: they cannot change its output. */
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

const TASK_ROWS = inGroup(CLUSTERS, 'cluster', [
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
      'run one task of the job directory DIR, for example share-0007 or range-0003; for programs that start tasks ' +
      'themselves; takes no FILE, and no options that change the output',
  },
]);

export const CLUSTER_ROWS = [...DISTRIBUTING_ROWS, ...TASK_ROWS];
