/** Every JavaScript example of docs/library.md prints what is shown, and every code of an error is listed there. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { LEFT_OUT } from '../../src/library/options.js';
import { withDirectory } from '../cli/run.js';
import { sampled } from '../support/tier.js';
import { codeSpans, ROOT, read } from './documents.js';

const DOCUMENT = 'docs/library.md';
const examples = [...read(DOCUMENT).matchAll(/^```js\n([\s\S]*?)^```\n\n```text\n([\s\S]*?)^```\n/gm)].map(
  ({ index, 1: code, 2: output }) => ({ line: read(DOCUMENT).slice(0, index).split('\n').length, code, output }),
);

it('has an output for each example', () => {
  expect(examples.length).toBe(read(DOCUMENT).match(/^```js$/gm)!.length);
  expect(examples.length).toBeGreaterThan(4);
});

it.each(sampled(examples, { count: Infinity, seed: 1 }))(
  `${DOCUMENT}:$line prints what is shown`,
  async ({ code, output }) => {
    await withDirectory(async (root) => {
      cpSync(`${ROOT}fixtures`, root, { recursive: true });
      mkdirSync(join(root, 'node_modules'));
      symlinkSync(ROOT, join(root, 'node_modules/gpusort'), 'dir');
      writeFileSync(join(root, 'example.mjs'), code!);
      const { stdout, stderr } = spawnSync(process.execPath, ['example.mjs'], { cwd: root, encoding: 'utf8' });
      expect({ stdout, stderr }).toEqual({ stdout: output, stderr: '' });
    });
  },
);

it('lists each code of an error', () => {
  const [, union] = /export type ErrorCode =([^;]*);/.exec(readFileSync(`${ROOT}src/system/errors.ts`, 'utf8'))!;
  const codes = [...union!.matchAll(/'([a-z-]+)'/g)].map(([, code]) => code!);
  expect(codes.length).toBeGreaterThan(10);
  expect(codes.filter((code) => !codeSpans(DOCUMENT).includes(code))).toEqual([]);
});

it('names each option that has no property, except those of clusters', () => {
  const named = codeSpans(DOCUMENT);
  const others = Object.entries(LEFT_OUT).filter(([, reason]) => !reason.includes('cluster'));
  expect(others.map(([long]) => `--${long}`).filter((name) => !named.includes(name))).toEqual([]);
});
