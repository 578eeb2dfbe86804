/** Tables of the documents that follow from the program's tables: algorithms, and encodings of typed keys. */
import { expect, it } from 'vitest';
import { GENERAL_WORDS, GENOMICS_WORDS, type OtherWord } from '../../src/cli/parse/other-words.js';
import { parseRecordKey } from '../../src/cli/parse/record-key.js';
import {
  ALGORITHMS,
  algorithmRow,
  INPUT_KINDS,
  type InputKind,
  requestText,
  tuningRow,
  tuningsOf,
} from '../../src/job/algorithm-table.js';
import { planEncoding } from '../../src/keys/record-encoding.js';
import { encodeRecords } from '../support/typed-records.js';
import { read } from './documents.js';

/** The rows of the tables in the section on algorithms of docs/binary.md: those of names, then those of tunings. */
function algorithmRows(): readonly string[][] {
  const [, section] = read('docs/binary.md').split('\n## Algorithms\n');
  return section.split('\n| name ').map((table) => table.split('\n').filter((line) => line.startsWith('| `')));
}

it('docs/binary.md shows each algorithm for each kind of input', () => {
  const rows = ALGORITHMS.filter((name) => name !== 'auto').map((name) => {
    const row = algorithmRow(name);
    const cells = (Object.keys(INPUT_KINDS) as InputKind[]).map(
      (kind) => [row.gpu.includes(kind) && 'GPU', row.cpu.includes(kind) && 'CPU'].filter(Boolean).join(', ') || '-',
    );
    return `| \`${name}\` | ${cells.join(' | ')} | ${row.summary} |`;
  });
  expect(algorithmRows()[1]).toEqual(rows);
});

it('docs/binary.md shows each tuning', () => {
  const rows = ALGORITHMS.flatMap((algorithm) =>
    tuningsOf(algorithm).map(
      (tuning) => `| \`${requestText({ algorithm, tunings: [tuning] })}\` | ${tuningRow(algorithm, tuning).summary} |`,
    ),
  );
  expect(rows.length).toBeGreaterThan(0);
  expect(algorithmRows()[2]).toEqual(rows);
});

/** A table of words of other tools. A bar is escaped, also in code. */
function wordTable(words: readonly OtherWord[], title: string): string {
  const code = (text: string): string => `\`${text.replaceAll('|', '\\|')}\``;
  const rows = words.map(({ tool, there, here, note }) => {
    const meaning = here === null ? 'nothing' : code(here);
    return `| ${tool} | ${there.map(code).join(', ')} | ${meaning}${note ? `; ${note}` : ''} |`;
  });
  return `| ${title} |\n| --- | --- | --- |\n${rows.join('\n')}\n\n`;
}

it('docs/genomics.md shows the options of tools for genomics data', () => {
  expect(read('docs/genomics.md')).toContain(wordTable(GENOMICS_WORDS, 'tool | its option | here'));
});

it('docs/compatibility.md shows the words of other tools', () => {
  expect(read('docs/compatibility.md')).toContain(wordTable(GENERAL_WORDS, 'tools | there | here'));
});

const bytesOf = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex.replaceAll(' ', ''), 'hex'));
const ENCODINGS = [
  ...read('docs/ordering.md').matchAll(/^\| `(\d+:[^`]+)` \| (\S+) \| `([^`]+)` \| `([^`]+)` \|$/gm),
].map(([, key, number, record, encoded]) => ({ key, number, record: bytesOf(record), encoded: bytesOf(encoded) }));

it('docs/ordering.md shows how typed keys are encoded', () => {
  expect(ENCODINGS.length).toBeGreaterThan(5);
  for (const { key, number, record, encoded } of ENCODINGS) {
    const { encoding } = planEncoding(record.length, [parseRecordKey(key, '-k')], false, null);
    const copy = record.slice();
    if (encoding !== null) encodeRecords(encoding, copy);
    expect(copy, `${key} of ${number}`).toEqual(encoded);
  }
});
