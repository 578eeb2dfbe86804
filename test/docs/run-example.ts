/** Runs shell examples of the documents in a copy of the fixtures, with gpusort or with GNU sort under its name. */
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { BINARY, environment, withDirectory } from '../cli/run.js';
import { ROOT } from './documents.js';

const LIMIT_MS = 60_000;
/** Options that GNU sort lacks. */
const OWN_OPTION =
  /--(?:record-size|array|segment|top|bottom|header|count|locale|csv|tsv|json|explain|stats|verify|sync|check=|format|by|decompress|cluster)|-t ['"]..+['"]|-o \S+\.gz|\bGPUSORT_OPTIONS\b/;
/** Programs that examples use, and that a machine may lack. */
const TOOLS = ['bedtools', 'bwa', 'samtools', 'tabix', 'xz', 'make', 'python3', 'Rscript'];

export interface Run {
  readonly status: number | null;
  /** Standard output and standard error as they came, in UTF-8. */
  readonly output: string;
}

/** A folder like a clone: it has `bin` and a copy of `fixtures`. Programs find the sort under test as `gpusort`. */
export interface Place {
  run(commands: string, directory: string): Promise<Run>;
  readonly root: string;
}

/** Calls `use` with a new place, in which `program` is called gpusort: gpusort itself, or GNU sort. */
export function inNewPlace<T>(use: (place: Place) => Promise<T>, program: 'gpusort' | 'sort' = 'gpusort'): Promise<T> {
  return withDirectory((root) => {
    cpSync(`${ROOT}fixtures`, join(root, 'fixtures'), { recursive: true });
    symlinkSync(`${ROOT}bin`, join(root, 'bin'));
    const path = join(root, 'path');
    mkdirSync(path);
    symlinkSync(program === 'sort' ? executable('sort') : BINARY, join(path, 'gpusort'));
    symlinkSync(process.execPath, join(path, 'node'));
    const env = environment({ PATH: `${path}${delimiter}${process.env.PATH}` });
    return use({ root, run: (commands, directory) => bash(commands, join(root, directory), env) });
  });
}

export const canGnuSort = (commands: string): boolean => commands.includes('gpusort') && !OWN_OPTION.test(commands);

/** The programs that commands, or the scripts that they run, need and that the machine lacks. */
export function missingTools(commands: string): string[] {
  const tools = TOOLS.filter((tool) => new RegExp(`\\b${tool} `).test(commands) && !succeeds('which', tool));
  const needsNumpy = /^import numpy$/m.test(commands) && !succeeds('python3', '-c', 'import numpy');
  return needsNumpy ? [...tools, 'numpy'] : tools;
}

function executable(name: string): string {
  const found = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, name));
  return found.find((file) => existsSync(file)) ?? name;
}

function succeeds(program: string, ...args: string[]): boolean {
  return spawnSync(program, args).status === 0;
}

function bash(commands: string, cwd: string, env: NodeJS.ProcessEnv): Promise<Run> {
  return new Promise((resolve, reject) => {
    const child = spawn('bash', ['--norc', '-c', `exec 2>&1\n${commands}`], {
      cwd,
      env,
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: LIMIT_MS,
      killSignal: 'SIGKILL',
    });
    const blocks: Buffer[] = [];
    child.stdout.on('data', (block: Buffer) => blocks.push(block));
    child.once('error', reject);
    child.once('close', (status) => resolve({ status, output: Buffer.concat(blocks).toString() }));
  });
}
