/** Versions of Node that are too old, from npm: the program and the library say what they need. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';
// @ts-expect-error: no types
import { unpackNode } from '../setup/node-binaries.mjs';

const directory = mkdtempSync(join(process.env.GPUSORT_TEST_TMP ?? tmpdir(), 'nodes-'));
afterAll(() => {
  rmSync(directory, { recursive: true });
});
const path = (name: string): string => fileURLToPath(new URL(`../../${name}`, import.meta.url));

it.each(['12.22.12', '18.20.4', '21.7.3', '22.1.0'])('Node %s is refused', { timeout: 300_000 }, (version) => {
  const node = join(unpackNode(version, directory).bin, 'node');
  const needs = `needs Node 20 (20.15 or later), or Node 22.2 or later; this is Node ${version}, ${node}`;
  const { status, stdout, stderr } = spawnSync(node, [path('bin/gpusort.cjs')], { input: 'b\na\n', encoding: 'utf8' });
  expect({ status, stdout, stderr }).toEqual({ status: 2, stdout: '', stderr: `gpusort: ${needs}\n` });
  // Its syntax is that of Node 16.
  if (version.startsWith('12.')) return;
  const library = spawnSync(node, [path('dist/bundle/index.mjs')], { encoding: 'utf8' });
  expect(library.status).toBe(1);
  expect(library.stderr).toContain(`Error: gpusort ${needs}\n`);
});
