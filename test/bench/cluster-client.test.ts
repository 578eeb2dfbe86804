/** The benchmark of the client of cluster sorts runs to its end, which checks that the results it makes are complete. */
import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { withDirectory } from '../cli/run.js';
import { ROOT } from '../docs/documents.js';

it('times all parts of the client, and leaves nothing', () =>
  withDirectory((directory) => {
    const options = ['--tasks', '12', '--input', '1e5', '--run', '6e6', '--dir', directory];
    const text = execFileSync(process.execPath, [`${ROOT}test/bench/cluster-client.mjs`, ...options]).toString();
    const rows = text.split('\n').filter((line) => line.startsWith('| '));
    expect(rows.slice(2).map((line) => line.split(' | ')[0].slice(2))).toEqual([
      'prepare',
      'go on',
      'watch shares',
      'splitters',
      'watch ranges',
      'finish',
      'remove',
      'peak memory',
    ]);
    expect(rows[0]).toContain('12 shares and ranges');
    expect(readdirSync(directory)).toEqual([]);
  }));
