/**
 * Slurm's variables, as jobs of Slurm 22.05 have them: `srun`, `sbatch` and `salloc` with the options named in each
 * case. Expected numbers follow from those options.
 */
import { expect, it } from 'vitest';
import { managesGpus, slurmAllocation } from '../../src/plan/facts.js';

const MiB = 2 ** 20;
const JOB = { SLURM_JOB_ID: '7', SLURM_NODEID: '0' };
const STEP = { ...JOB, SLURM_STEP_ID: '0', SLURM_STEP_TASKS_PER_NODE: '1' };

it('finds no allocation outside of a job', () => {
  expect(slurmAllocation({})).toBeNull();
  expect(slurmAllocation({ SLURM_JOB_ID: '', SLURM_CPUS_PER_TASK: '8' })).toBeNull();
  expect(slurmAllocation({ SLURM_CPUS_PER_TASK: '8', CUDA_VISIBLE_DEVICES: '0' })).toBeNull();
});

it.each([
  ['srun', { ...STEP, SLURM_CPUS_ON_NODE: '1' }, 1, null],
  ['srun -c 8', { ...STEP, SLURM_CPUS_ON_NODE: '8', SLURM_CPUS_PER_TASK: '8' }, 8, null],
  ['srun -n 2 -N 1', { ...STEP, SLURM_CPUS_ON_NODE: '4', SLURM_STEP_TASKS_PER_NODE: '2' }, 2, null],
  ['srun -n 4 on 1 CPU', { ...STEP, SLURM_CPUS_ON_NODE: '1', SLURM_STEP_TASKS_PER_NODE: '4' }, 1, null],
  [
    'the third node of srun -n 7 --mem-per-cpu=100',
    {
      ...STEP,
      SLURM_NODEID: '2',
      SLURM_CPUS_ON_NODE: '3',
      SLURM_STEP_TASKS_PER_NODE: '2(x2),3',
      SLURM_MEM_PER_CPU: '100',
    },
    1,
    100 * MiB,
  ],
  [
    'the third node of srun -n 7 on 6 CPUs each',
    { ...STEP, SLURM_NODEID: '2', SLURM_CPUS_ON_NODE: '6', SLURM_STEP_TASKS_PER_NODE: '2(x2),3' },
    2,
    null,
  ],
  [
    'sbatch -c 2 --mem=300',
    { ...JOB, SLURM_CPUS_ON_NODE: '2', SLURM_CPUS_PER_TASK: '2', SLURM_MEM_PER_NODE: '300' },
    2,
    300 * MiB,
  ],
  // A batch script is one process, which has all CPUs of its node.
  [
    'sbatch -n 2 --mem-per-cpu=100',
    { ...JOB, SLURM_CPUS_ON_NODE: '2', SLURM_TASKS_PER_NODE: '2', SLURM_MEM_PER_CPU: '100' },
    2,
    200 * MiB,
  ],
  [
    'srun -n 3 in sbatch --mem=300',
    { ...STEP, SLURM_CPUS_ON_NODE: '6', SLURM_STEP_TASKS_PER_NODE: '3', SLURM_MEM_PER_NODE: '300' },
    2,
    100 * MiB,
  ],
  ['sbatch --mem=0', { ...JOB, SLURM_CPUS_ON_NODE: '4', SLURM_MEM_PER_NODE: '0' }, 4, null],
  // The shell of salloc has no SLURM_CPUS_ON_NODE.
  [
    'salloc -n 2 --mem=200',
    { SLURM_JOB_ID: '9', SLURM_JOB_CPUS_PER_NODE: '2', SLURM_MEM_PER_NODE: '200' },
    2,
    200 * MiB,
  ],
  ['salloc -N 3', { SLURM_JOB_ID: '9', SLURM_JOB_CPUS_PER_NODE: '16(x2),8' }, 16, null],
  ['nothing but the job', { SLURM_JOB_ID: '9' }, null, null],
  [
    'nonsense',
    { SLURM_JOB_ID: '9', SLURM_CPUS_PER_TASK: 'two', SLURM_JOB_CPUS_PER_NODE: 'x', SLURM_MEM_PER_NODE: '-1' },
    null,
    null,
  ],
  ['memory for each CPU of an unknown number', { SLURM_JOB_ID: '9', SLURM_MEM_PER_CPU: '100' }, null, null],
])('finds processors and memory of a job: %s', (_, environment, processors, memoryBytes) => {
  expect(slurmAllocation(environment)).toEqual({ processors, memoryBytes, gpus: 'unsaid' });
});

it.each([
  ['srun --gres=gpu:1', { SLURM_STEP_GPUS: '0', CUDA_VISIBLE_DEVICES: '0', SLURM_GPUS_ON_NODE: '1' }, 'some'],
  ['sbatch --gres=gpu:2', { SLURM_JOB_GPUS: '2,3' }, 'some'],
  ['a GPU of AMD', { ROCR_VISIBLE_DEVICES: '0' }, 'some'],
  ['only a count', { SLURM_GPUS_ON_NODE: '1' }, 'some'],
  ['no GPU on a node that has some, Slurm 20', { CUDA_VISIBLE_DEVICES: 'NoDevFiles' }, 'none'],
  ['devices taken away', { CUDA_VISIBLE_DEVICES: '' }, 'none'],
  ['no GPU, Slurm 22', {}, 'unsaid'],
] as const)('knows whether the job has GPUs: %s', (_, environment, gpus) => {
  expect(slurmAllocation({ ...JOB, ...environment })?.gpus).toBe(gpus);
});

it('reads from slurm.conf whether Slurm manages GPUs', () => {
  expect(managesGpus('ClusterName=c\nGresTypes=gpu\nNodeName=n1 Gres=gpu:1\n')).toBe(true);
  expect(managesGpus('  grestypes = bandwidth,gpu,mps # all\n')).toBe(true);
  expect(managesGpus('#GresTypes=gpu\nNodeName=gpu1\n')).toBe(false);
  expect(managesGpus('GresTypes=bandwidth # no gpu\n')).toBe(false);
  expect(managesGpus('AccountingStorageTRES=gres/gpu\n')).toBe(false);
});
