/** Runs scripts that import the library, as programs do. */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'vitest';
import { freshDirectory } from '../battery/runner.js';
import { ROOT } from '../docs/documents.js';
import { seededLines } from './support.js';

export const LIBRARY = pathToFileURL(`${ROOT}dist/bundle/index.mjs`).href;
const HANG_MS = 100_000;

/** Runs a module that imports the library; `data` is a file of lines in its directory. Returns its output. */
export function runScript(text: string, engineOptions: readonly string[] = []): string {
  const directory = freshDirectory('process');
  writeFileSync(join(directory, 'data'), seededLines(31, 30_000));
  writeFileSync(
    join(directory, 'script.mjs'),
    `import { createSort, createSorter, sort, sorted, sortFile } from '${LIBRARY}';\n${text}`,
  );
  const { status, signal, stdout, stderr } = spawnSync(process.execPath, [...engineOptions, 'script.mjs'], {
    cwd: directory,
    encoding: 'utf8',
    timeout: HANG_MS,
  });
  expect({ status, signal, stderr }).toEqual({ status: 0, signal: null, stderr: '' });
  return stdout;
}

/** The state of a process that a sort might change. The threads of libuv's pool start at the first call on a file. */
export const STATE = `
import { readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
const state = () => ({
  descriptors: readdirSync('/proc/self/fd').length,
  threads: Number(/^Threads:\\s+(\\d+)/m.exec(readFileSync('/proc/self/status', 'utf8'))[1]),
  listeners: process.eventNames().map((name) => [String(name), process.listenerCount(name)]),
  exitCode: process.exitCode,
  umask: process.umask(),
  environment: JSON.stringify(process.env),
  flags: process.execArgv.join(),
  directory: process.cwd(),
});
`;
