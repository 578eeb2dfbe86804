/** Tools that are installed when they first run: what their commands do if they cannot be installed. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from './packed.js';

it.each([
  ['the registry cannot be reached', false, 69],
  ['the lock file is wrong', true, 1],
])('tools that cannot be installed because %s end a command with a status of its own', async (_, answers, status) => {
  const directory = mkdtempSync(join(process.env.GPUSORT_TEST_TMP ?? tmpdir(), 'tools-'));
  const registry = createServer((_, response) => response.end('{}')).listen(0, '127.0.0.1');
  await once(registry, 'listening');
  const { port } = registry.address() as AddressInfo;
  if (!answers) registry.close();
  mkdirSync(join(directory, 'tools/build'), { recursive: true });
  copyFileSync(join(ROOT, 'tools/build/on-demand.mjs'), join(directory, 'tools/build/on-demand.mjs'));
  mkdirSync(join(directory, 'tools/some'));
  writeFileSync(join(directory, 'tools/some/package.json'), '{ "dependencies": { "some": "1.0.0" } }');
  // The lock file is empty, so npm asks the registry nothing before it refuses.
  writeFileSync(join(directory, 'tools/some/package-lock.json'), '{ "lockfileVersion": 3, "packages": { "": {} } }');
  writeFileSync(
    join(directory, 'command.mjs'),
    "import { installTools } from './tools/build/on-demand.mjs'; installTools('some', 'some');",
  );
  const { PATH } = process.env;
  const env = { PATH, HOME: directory, npm_config_registry: `http://127.0.0.1:${port}`, npm_config_fetch_retries: '0' };
  const command = spawn(process.execPath, ['command.mjs'], { cwd: directory, env, stdio: 'ignore' });
  expect(await once(command, 'close')).toEqual([status, null]);
  registry.close();
  rmSync(directory, { recursive: true });
});
