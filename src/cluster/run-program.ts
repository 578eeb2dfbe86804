/** Runs a program of the system to its end and keeps what it prints. Never through a shell. */
import { spawn } from 'node:child_process';

/** How long a program may go on after `signal`: its change should be known. */
const INTERRUPTED_MS = 10_000;

export interface Answer {
  /** The exit status; null if a signal ended the program. */
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Whether it was killed because it took too long. */
  readonly isLate: boolean;
}

/**
 * Rejects with the system's error if the program cannot be started. The program is not in the terminal's foreground
 * group: Ctrl-C must not end it between a change and its answer.
 */
export function runProgram(
  program: string,
  words: readonly string[],
  { input, seconds, env, signal }: { input?: Buffer; seconds: number; env: NodeJS.ProcessEnv; signal?: AbortSignal },
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, words, {
      stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
      ...{ env, detached: true, timeout: seconds * 1000, killSignal: 'SIGKILL' },
    });
    const [out, err]: [Buffer[], Buffer[]] = [[], []];
    child.stdout!.on('data', (bytes: Buffer) => out.push(bytes));
    child.stderr!.on('data', (bytes: Buffer) => err.push(bytes));
    let patience: NodeJS.Timeout | undefined;
    const endSoon = (): void => {
      patience = setTimeout(() => child.kill('SIGKILL'), INTERRUPTED_MS);
    };
    signal?.addEventListener('abort', endSoon, { once: true });
    child.on('error', reject);
    child.on('close', (status) => {
      signal?.removeEventListener('abort', endSoon);
      clearTimeout(patience);
      const [stdout, stderr] = [out, err].map((parts) => Buffer.concat(parts).toString());
      resolve({ status, stdout, stderr, isLate: child.killed });
    });
    // A program that ends early does not read it all.
    child.stdin?.on('error', () => {});
    child.stdin?.end(input);
  });
}
