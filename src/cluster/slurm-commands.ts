/**
 * Slurm's commands: sbatch, squeue and scancel, with the user's environment less what would change their answers.
 * Knows what they print when the cluster's controller does not answer, and nothing of tasks.
 */
import { GpusortError, systemText } from '../system/errors.js';
import { type Answer, runProgram } from './run-program.js';

/**
 * Seconds until a command is killed. sbatch itself waits for a controller that has no room for jobs, two minutes in
 * all; squeue and scancel give up after some 10 seconds.
 */
const LIMITS = { sbatch: 150, squeue: 60, scancel: 60 } as const;
type Command = keyof typeof LIMITS;

/** Runs a command of Slurm. Throws if it is not installed. */
export async function runSlurm(
  command: Command,
  words: readonly string[],
  more: { readonly input?: Buffer; readonly signal?: AbortSignal } = {},
): Promise<Answer> {
  try {
    const seconds = LIMITS[command];
    return await runProgram(command, words, { seconds, env: environment(), ...more });
  } catch (error) {
    throw new GpusortError('scheduler-failed', `cannot run ${command}: ${systemText(error)}`, {
      cause: error,
      hint: 'Run gpusort where the commands of Slurm are, such as a login node, or use --cluster local:N.',
    });
  }
}

/** Which cluster, and how to reach it. */
const KEPT = new Set(['SLURM_CONF', 'SLURM_CONF_SERVER', 'SLURM_CLUSTERS', 'SLURM_JWT']);

/**
 * Inside a job, SLURM_ variables describe that job, and sbatch would hand them down to tasks. SQUEUE_ and SCANCEL_
 * variables select jobs. With SBATCH_WAIT, sbatch would not return. Other SBATCH_ variables are the user's options.
 */
function environment(): NodeJS.ProcessEnv {
  const isKept = (name: string): boolean =>
    KEPT.has(name) || !(/^(SLURM|SQUEUE|SCANCEL)_/.test(name) || name === 'SBATCH_WAIT');
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => isKept(name)));
}

/** Whether a command failed because the controller did not answer, as during a restart or under load. */
export function isTransient({ status, stderr, isLate }: Answer): boolean {
  return status !== 0 && (isLate || TRANSIENT.test(stderr));
}

const TRANSIENT = new RegExp(
  [
    'Unable to contact slurm controller',
    'Socket timed out',
    'Zero Bytes were transmitted',
    'Unexpected message rec',
    'Slurm backup controller in standby mode',
    'temporarily una',
    'Connection (refused|reset|timed out)',
  ].join('|'),
  'i',
);

/** The longest sentence that is passed on. Some sites print whole pages. */
const LONGEST = 400;

/** What a failed command said, on one line. */
export function complaint(command: Command, { stderr, stdout, isLate }: Answer): string {
  if (isLate) return `no answer within ${LIMITS[command]} seconds`;
  const lines = `${stderr}\n${stdout}`
    .split('\n')
    .map((line) => line.replace(new RegExp(`^${command}: (error: |fatal: )?|^slurm_\\w+ error: `), '').trim())
    .filter((line) => line !== '' && !line.startsWith('Try "'));
  const text = [...new Set(lines)].join('; ');
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}...` : text || 'it gave no reason';
}
