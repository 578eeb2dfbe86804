/** The table of algorithms in docs/binary.md is that of the program. */
import { expect, it } from 'vitest';
import { ALGORITHMS, algorithmRow, INPUT_KINDS, type InputKind } from '../../src/algorithm-table.js';
import { read } from './documents.js';

it('docs/binary.md shows each algorithm for each kind of input', () => {
  const rows = ALGORITHMS.filter((name) => name !== 'auto').map((name) => {
    const row = algorithmRow(name);
    const cells = (Object.keys(INPUT_KINDS) as InputKind[]).map(
      (kind) => [row.gpu.includes(kind) && 'GPU', row.cpu.includes(kind) && 'CPU'].filter(Boolean).join(', ') || '-',
    );
    return `| \`${name}\` | ${cells.join(' | ')} | ${row.summary} |`;
  });
  const shown = read('docs/binary.md')
    .split('\n## Algorithms\n')[1]
    .split('\n')
    .filter((line) => line.startsWith('| `'));
  expect(shown).toEqual(rows);
});
