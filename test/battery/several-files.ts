/** Several input files on the GPU engine, and -o that names an input. scripts.test.ts sorts the same files. */
import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { sortOn } from './here.js';
import { INPUTS } from './inputs.js';
import { expectSameBytes, freshDirectory, inputFile, run, sameAsGnu } from './runner.js';

/** The files of each test's directory: name, and the input that it contains. */
const FILES: Readonly<Record<string, string>> = {
  a: 'random lines (small)',
  b: 'URLs (small)',
  c: 'no last newline',
  d: 'empty',
  e: 'NULs (small)',
  f: 'Zipf words (small)',
  g: 'one huge line (small)',
};

/** Creates a directory with the files. */
export async function directoryOfFiles(): Promise<string> {
  const directory = freshDirectory('files');
  for (const [name, inputName] of Object.entries(FILES)) {
    copyFileSync(await inputFile(INPUTS.find((input) => input.name === inputName)!), join(directory, name));
  }
  return directory;
}

/** Registers the tests. */
export function severalFiles(): void {
  const sort = sortOn('gpu');
  const small = ['--chunk-size', '16K'];
  it.each([
    ['under -u', ['-u', 'c', 'a', 'f', 'c', 'f']],
    ['if they lack the last newline', ['c', 'c', 'c']],
  ])('are sorted like by GNU sort %s', async (_, args) => {
    const cwd = await directoryOfFiles();
    sameAsGnu(await sort([...small, ...args], { cwd }), await run('sort', args, { cwd }));
  });

  it('are sorted into the first of them', async () => {
    const cwd = await directoryOfFiles();
    const expected = await run('sort', ['a', 'b'], { cwd });
    expect(await sort([...small, '-o', 'a', 'a', 'b'], { cwd })).toMatchObject({ status: 0, stderr: '' });
    expectSameBytes(readFileSync(join(cwd, 'a')), expected.stdout);
  });
}
