/** Runs the program on lanes: files of SAM or BAM that are joined. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect } from 'vitest';
import { sortOn } from '../battery/here.js';
import { expectSameBytes, freshDirectory } from '../battery/runner.js';
import { bgzf, encodeBam, unBgzf } from '../support/genomics-bam.js';

const run = sortOn('cpu');

export type Form = 'sam' | 'bam' | 'sam.gz';
export const inForm = (lane: string, form: Form): string | Buffer =>
  form === 'sam' ? lane : form === 'sam.gz' ? gzipSync(lane) : lane === '' ? '' : bgzf(encodeBam(lane), 1, 5000);

/** Writes the lanes, whose forms are repeated, and runs the program, which must succeed without messages. */
export async function joined(
  args: readonly string[],
  lanes: readonly string[],
  forms: readonly Form[],
  stdin?: Buffer,
): Promise<string> {
  const cwd = freshDirectory('lanes');
  const files = lanes.map((lane, i) => {
    const name = `${i}.${forms[i % forms.length]}`;
    writeFileSync(join(cwd, name), inForm(lane, forms[i % forms.length]), 'latin1');
    return name;
  });
  const format = forms[0] === 'bam' ? 'bam' : 'sam';
  const words = ['--format', format, ...args, ...(stdin === undefined ? [] : ['-']), ...files];
  const { status, stdout, stderr } = await run(words, { cwd, ...(stdin && { stdin }) });
  expect({ words, status, stderr }).toEqual({ words, status: 0, stderr: '' });
  return (format === 'bam' ? unBgzf(stdout) : stdout).toString('latin1');
}

export const expectText = (actual: string, expected: string): void =>
  expectSameBytes(Buffer.from(actual, 'latin1'), Buffer.from(expected, 'latin1'));

/** The message of the program, which must refuse the files. */
export async function refusal(
  args: readonly string[],
  files: Readonly<Record<string, string | Buffer>>,
): Promise<string> {
  const cwd = freshDirectory('lanes');
  for (const [name, content] of Object.entries(files)) writeFileSync(join(cwd, name), content, 'latin1');
  const { status, stderr } = await run([...args, ...Object.keys(files)], { cwd });
  expect(status).toBe(2);
  return stderr;
}
