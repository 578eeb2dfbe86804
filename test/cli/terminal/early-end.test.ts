/** The status and the message if nothing keeps the process alive before its work is done. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { BINARY, environment } from '../run.js';

it('fails if the process runs out of events before it has sorted', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gpusort-early-'));
  try {
    const input = join(folder, 'lines');
    writeFileSync(input, 'line\n'.repeat(1 << 20));
    const preload = fileURLToPath(new URL('../../support/lost-reads.cjs', import.meta.url));
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ['--require', preload, BINARY, '--engine=cpu', input],
      {
        encoding: 'utf8',
        env: environment(),
        timeout: 20_000,
      },
    );
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toContain('gpusort: internal error: the program ended before its work was done');
  } finally {
    rmSync(folder, { recursive: true });
  }
});
