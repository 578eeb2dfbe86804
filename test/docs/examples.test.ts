/** Every shell example of the documents that names a fixture, and every one of the manual page, does what it shows. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sampled } from '../support/tier.js';
import {
  COOKBOOK,
  DOCUMENTS,
  type Example,
  examplesIn,
  FIXTURES,
  fixturesIn,
  manualExamples,
  ROOT,
  read,
} from './documents.js';
import { linksIn } from './links.js';
import { canGnuSort, inNewPlace, missingTools, type Run } from './run-example.js';

const examples = DOCUMENTS.flatMap(examplesIn).filter(({ commands }) => fixturesIn(commands).length > 0);
const examplesOfManual = manualExamples().filter((command) => fixturesIn(command).length > 0);

interface Result extends Run {
  /** The files that were made or changed, by name. */
  readonly files: Readonly<Record<string, string>>;
}

/** Runs commands in a place of their own; `program` as in `inNewPlace`. */
function runAlone(commands: string, directory: string, program?: 'sort'): Promise<Result> {
  return inNewPlace(async ({ root, run }) => {
    const copies = join(root, 'fixtures');
    const ran = await run(commands, directory);
    const text = (file: string): string => readFileSync(file, 'latin1');
    const written = readdirSync(copies).filter(
      (name) => !existsSync(`${ROOT}fixtures/${name}`) || text(join(copies, name)) !== text(`${ROOT}fixtures/${name}`),
    );
    return { ...ran, files: Object.fromEntries(written.map((name) => [name, text(join(copies, name))])) };
  }, program);
}

/** -c ends with status 1 if it finds disorder. */
const expectedStatus = (commands: string): number[] => (/ -c| --check/.test(commands) ? [0, 1] : [0]);

/** Runs an example; GNU sort must write the same if it can. */
async function resultOf(commands: string, directory: string): Promise<Result> {
  const result = await runAlone(commands, directory);
  expect(expectedStatus(commands), result.output).toContain(result.status);
  if (canGnuSort(commands)) expect(result).toEqual(await runAlone(commands, directory, 'sort'));
  return result;
}

const alone = examples.filter(({ document }) => document !== COOKBOOK);

/** Each document, and all of README.md. */
const drawn = sampled(alone, {
  count: Infinity,
  seed: 1,
  values: ({ document, line }) => [document, document === 'README.md' && line],
});

it.for(drawn)('$document:$line writes what is shown', async ({ commands, output, directory }: Example, { skip }) => {
  const missing = missingTools(commands);
  if (missing.length > 0) skip(`${missing.join(', ')} not installed`);
  const result = await resultOf(commands, directory);
  if (output !== null) expect(result.output).toBe(output);
});

it('the section Start of README.md has an example that runs, after the installation', () => {
  const start = read('README.md')
    .split(/^## /m)
    .find((section) => section.startsWith('Start\n'))!;
  const [install, sort, ...others] = [...start.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, commands]) => commands);
  expect([install, others]).toEqual(['npm ci\n', []]);
  expect(drawn.map(({ commands }) => commands)).toContain(sort);
});

/** Words that are names of data. */
const DATA =
  /(?<![\w./*@:"-])[\w./*-]+\.(?:bam|bed|bin|cram|csv|fasta|fastq|fa|fq|gff3?|gz|jsonl?|log|sam|tsv|txt|vcf|xz)\b/g;
/** What stands before the name of a file that a command writes. */
const WRITES = /(?:-o|>|--mate-out|--dupes-output|-[12]|markdup -|gensort \d+) *$/;
/** Names that stand for files of the reader, as the text before them says. */
const OF_READER = ['README.md input.txt'];

/** The files that commands read, and that are neither in the clone nor made by these commands or by the build. */
function missingFiles(commands: string): string[] {
  const written = new Set<string>();
  return [...commands.matchAll(DATA)]
    .filter(({ 0: name, index }) => {
      if (WRITES.test(commands.slice(0, index))) written.add(name);
      const isThere = name.startsWith('dist/') || ['', 'fixtures/'].some((folder) => existsSync(ROOT + folder + name));
      return !isThere && !written.has(name);
    })
    .map(([name]) => name);
}

it('examples name files that are in a clone, or that they make', () => {
  const missing = DOCUMENTS.filter((document) => document !== COOKBOOK)
    .flatMap(examplesIn)
    .filter(({ commands }) => /\bgpusort\b/.test(commands))
    .flatMap(({ document, commands }) => missingFiles(commands).map((name) => `${document} ${name}`));
  expect(missing.filter((name) => !OF_READER.includes(name))).toEqual([]);
  expect(manualExamples().flatMap(missingFiles)).toEqual([]);
});

describe('the manual page', () => {
  it('has examples', () => {
    expect(examplesOfManual).not.toEqual([]);
  });

  it.each(sampled(examplesOfManual, { count: Infinity, seed: 2 }))('%s', async (command) => {
    await resultOf(command, 'fixtures');
  });
});

describe('fixtures/README.md', () => {
  const rows = read('fixtures/README.md')
    .split('\n')
    .flatMap((line) => [...line.matchAll(/^\| \[([^\]]+)\].*\|([^|]*)\|$/g)])
    .map(({ 1: name, 2: documents }) => ({
      name,
      documents: linksIn('fixtures/README.md', documents)
        .map(({ path }) => path)
        .sort(),
    }));

  it('has a row for each file', () => {
    expect(rows.map(({ name }) => name).sort()).toEqual([...FIXTURES].sort());
  });

  it.each(rows)('names the documents whose examples use $name', ({ name, documents }) => {
    const using = examples
      .filter(({ document, commands }) => document !== 'fixtures/README.md' && fixturesIn(commands).includes(name))
      .map(({ document }) => document);
    expect(using).not.toEqual([]);
    expect(documents).toEqual([...new Set(using)].sort());
  });
});
