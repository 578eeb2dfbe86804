/** What tests of the conversion of SAM and BAM share: a directory for each test, and the program that runs there. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect } from 'vitest';
import { sortOn } from '../battery/here.js';
import { freshDirectory } from '../battery/runner.js';
import { CONTIGS } from '../support/genomics-data.js';

export const names = CONTIGS.map(([name]) => name);
export const bytes = (text: string): Buffer => Buffer.from(text, 'latin1');
export const sort = sortOn('cpu');

let cwd = '';
/** Gives each test of a file its own directory. Called in the file, because imported modules are loaded once. */
export function eachInItsDirectory(): void {
  beforeEach(() => {
    cwd = freshDirectory('convert');
  });
}
/** The directory of the running test. */
export const directory = (): string => cwd;
export const write = (name: string, content: string | Buffer): void =>
  writeFileSync(join(cwd, name), content, 'latin1');
export const read = (name: string): Buffer => readFileSync(join(cwd, name));

/** Runs the program, which must succeed without messages. */
export async function quiet(...args: readonly string[]): Promise<Buffer> {
  const { status, stdout, stderr } = await sort(args, { cwd });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return stdout;
}
