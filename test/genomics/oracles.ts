/**
 * The tools that the models and the program are compared with. If a tool is not installed, its tests are skipped and
 * reported as left out; `.ci/run` installs them all.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'vitest';

const TOOLS = {
  samtools: ['samtools', '--version'],
  seqkit: ['seqkit', 'version'],
  'sort-bed': ['sort-bed', '--version'],
  bcftools: ['bcftools', '--version'],
  bgzip: ['bgzip', '--version'],
  tabix: ['tabix', '--version'],
  picard: ['PicardCommandLine', '--version'],
} as const;
export type Tool = keyof typeof TOOLS;

const found = new Map<Tool, boolean>();

/** Whether a tool is installed. */
export function has(tool: Tool): boolean {
  if (!found.has(tool)) found.set(tool, spawnSync('which', [TOOLS[tool][0]]).status === 0);
  return found.get(tool)!;
}

/** `it`, or if a tool is missing a skipped test whose name says so. */
export function itWith(...tools: readonly Tool[]) {
  const missing = tools.filter((tool) => !has(tool));
  return (name: string, test: () => void | Promise<void>): void => {
    if (missing.length === 0) it(name, test);
    else it.skip(`${name} (left out: ${missing.join(', ')} not installed)`, test);
  };
}

/** Standard output of a bash script in a directory with `files`, one character a byte. Fails if the script does. */
export function oracle(script: string, files: Readonly<Record<string, string | Buffer>>): string {
  const directory = mkdtempSync(join(process.env.GPUSORT_TEST_TMP ?? tmpdir(), 'oracle-'));
  try {
    for (const [name, content] of Object.entries(files)) writeFileSync(join(directory, name), content, 'latin1');
    const { status, stdout, stderr } = spawnSync('bash', ['-c', `set -o pipefail; ${script}`], {
      cwd: directory,
      env: { ...process.env, LC_ALL: 'C' },
      maxBuffer: 1 << 28,
    });
    if (status !== 0) throw new Error(`${script}: status ${status}: ${stderr}`);
    return stdout.toString('latin1');
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
