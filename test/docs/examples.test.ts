/** Every shell example of the documents that names a fixture, and every one of the manual page, does what it shows. */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { BINARY, type Outcome, shell, withDirectory } from '../cli/run.js';
import {
  DOCUMENTS,
  type Example,
  examplesIn,
  FIXTURES,
  fixturesIn,
  linksIn,
  manualExamples,
  ROOT,
  read,
} from './documents.js';

/** What GNU sort cannot do. */
const OWN_OPTION =
  /--(?:record-size|array|segment|top|bottom|header|count|locale|csv|tsv|json|explain|stats|verify|check=|format|by|decompress|cluster)|-t ['"]..+['"]/;
/** Programs that examples pipe to, and that a machine may lack. */
const TOOLS = ['samtools', 'tabix'];

const examples = DOCUMENTS.flatMap(examplesIn).filter(({ commands }) => fixturesIn(commands).length > 0);
const examplesOfManual = manualExamples().filter((command) => fixturesIn(command).length > 0);

interface Result extends Outcome {
  /** The files that were made or changed, by name. */
  readonly files: Readonly<Record<string, string>>;
}

/** Runs commands in a copy of the fixtures, with `program` as gpusort. Standard error comes out on standard output. */
function runAs(program: string, commands: string, directory: string): Promise<Result> {
  return withDirectory((root) => {
    const copies = join(root, 'fixtures');
    cpSync(`${ROOT}fixtures`, copies, { recursive: true });
    const path = join(root, 'path');
    mkdirSync(path);
    writeFileSync(join(path, 'gpusort'), `#!/bin/bash\nexec -a gpusort ${program} "$@"\n`, { mode: 0o755 });
    const outcome = shell(`exec 2>&1\n${commands}`, {
      cwd: join(root, directory),
      env: { PATH: `${path}${delimiter}${process.env.PATH}` },
    });
    const text = (file: string): string => readFileSync(file, 'latin1');
    const written = readdirSync(copies).filter(
      (name) => !existsSync(`${ROOT}fixtures/${name}`) || text(join(copies, name)) !== text(`${ROOT}fixtures/${name}`),
    );
    return { ...outcome, files: Object.fromEntries(written.map((name) => [name, text(join(copies, name))])) };
  });
}

const runHere = (commands: string, directory: string): Promise<Result> =>
  runAs(`'${process.execPath}' '${BINARY}'`, commands, directory);
const canGnuSort = (commands: string): boolean => commands.includes('gpusort') && !OWN_OPTION.test(commands);
/** -c ends with status 1 if it finds disorder. */
const expectedStatus = (commands: string): number[] => (/ -c| --check/.test(commands) ? [0, 1] : [0]);

/** Runs an example; GNU sort must write the same if it can. */
async function outcomeOf(commands: string, directory: string): Promise<Result> {
  const outcome = await runHere(commands, directory);
  expect(expectedStatus(commands), outcome.stdout).toContain(outcome.status);
  if (canGnuSort(commands)) expect(outcome).toEqual(await runAs('sort', commands, directory));
  return outcome;
}

/** Those of TOOLS that commands need and the machine lacks. */
const missingTools = (commands: string): string[] =>
  TOOLS.filter((tool) => new RegExp(`\\b${tool} `).test(commands) && spawnSync('which', [tool]).status !== 0);

it.for(examples)('$document:$line writes what is shown', async ({ commands, output, directory }: Example, { skip }) => {
  const missing = missingTools(commands);
  if (missing.length > 0) skip(`${missing.join(', ')} not installed`);
  const { stdout } = await outcomeOf(commands, directory);
  if (output !== null) expect(Buffer.from(stdout, 'latin1').toString()).toBe(output);
});

describe('the manual page', () => {
  it('has examples', () => {
    expect(examplesOfManual).not.toEqual([]);
  });

  it.each(examplesOfManual)('%s', async (command) => {
    await outcomeOf(command, 'fixtures');
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
