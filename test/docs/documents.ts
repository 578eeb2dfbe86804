/**
 * The contents of the documents: shell examples, recipes, paths. The documents are README.md, CONTRIBUTING.md,
 * CHANGELOG.md, SECURITY.md, fixtures/README.md, and every Markdown file in docs/ and tools/packaging/.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));
export const COOKBOOK = 'docs/cookbook.md';
export const DOCUMENTS: readonly string[] = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'SECURITY.md',
  'fixtures/README.md',
  ...['docs', 'tools/packaging'].flatMap(markdownIn),
];
export const FIXTURES: readonly string[] = readdirSync(`${ROOT}fixtures`).filter((name) => name !== 'README.md');

export interface Example {
  readonly document: string;
  /** The line of the opening fence, from 1. */
  readonly line: number;
  /** The lines of a block fenced with ```sh. */
  readonly commands: string;
  /** The text block after it, with nothing but blank lines between the two; null if there is none. */
  readonly output: string | null;
  /** The folder it runs in: `fixtures` from the document's first `cd fixtures` on, otherwise the root. */
  readonly directory: string;
}

export interface Recipe {
  readonly title: string;
  readonly line: number;
  /** Files that it shows, by name: blocks fenced with ```LANGUAGE NAME. */
  readonly files: Readonly<Record<string, string>>;
  readonly examples: readonly Example[];
}

export function read(document: string): string {
  return readFileSync(ROOT + document, 'utf8');
}

export function examplesIn(document: string): Example[] {
  const text = read(document);
  const entersAt = text.search(/^cd fixtures$/m);
  return [...text.matchAll(/^```sh\n([\s\S]*?)^```\n(?:\n*```text\n([\s\S]*?)^```\n)?/gm)].map(
    ({ index, 1: commands, 2: output }) => ({
      document,
      line: text.slice(0, index).split('\n').length,
      commands,
      output: output ?? null,
      directory: entersAt >= 0 && entersAt < index ? 'fixtures' : '.',
    }),
  );
}

/** The recipes of the cookbook: its sections of the third level. Their lines are those of the document. */
export function recipesIn(document: string): Recipe[] {
  const text = read(document);
  const examples = examplesIn(document);
  const starts = [...text.matchAll(/^#{2,3} (.*)$/gm)].map(({ index, 0: heading, 1: title }) => ({
    index,
    title,
    isRecipe: heading.startsWith('### '),
    line: text.slice(0, index).split('\n').length,
  }));
  return starts.flatMap(({ index, title, isRecipe, line }, i) => {
    if (!isRecipe) return [];
    const next = starts[i + 1];
    const section = text.slice(index, next?.index);
    const files = [...section.matchAll(/^```\w+ (\S+)\n([\s\S]*?)^```$/gm)].map(({ 1: name, 2: body }) => [name, body]);
    const within = examples.filter((example) => example.line > line && example.line < (next?.line ?? Infinity));
    return [{ title, line, files: Object.fromEntries(files) as Record<string, string>, examples: within }];
  });
}

/** The command lines in the section EXAMPLES of the manual page. */
export function manualExamples(): string[] {
  const section =
    read('docs/gpusort.1')
      .split(/^\.SH /m)
      .find((text) => text.startsWith('EXAMPLES')) ?? '';
  return [...section.matchAll(/^\\fB(.*)\\fR$/gm)].map((match) =>
    match[1].replaceAll('\\-', '-').replaceAll('\\e', '\\'),
  );
}

/** The fixtures that a command line names, with or without their folder. */
export function fixturesIn(commands: string): string[] {
  const words = new Set(commands.split(/[\s'"<>|;()=]+/).map((word) => posix.basename(word)));
  return FIXTURES.filter((name) => words.has(name));
}

/** The code spans, outside fenced blocks. */
export function codeSpans(document: string): string[] {
  const prose = read(document).replace(/^```[\s\S]*?^```$/gm, '');
  return [...prose.matchAll(/`([^`\n]+)`/g)].map((match) => match[1]);
}

function markdownIn(folder: string): string[] {
  if (!existsSync(ROOT + folder)) return [];
  return (readdirSync(ROOT + folder, { recursive: true }) as string[])
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
    .sort();
}
