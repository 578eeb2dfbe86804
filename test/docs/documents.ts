/**
 * What README.md, CONTRIBUTING.md, CHANGELOG.md, docs/*.md and fixtures/README.md show: shell examples, paths, links.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));
export const DOCUMENTS: readonly string[] = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  ...readdirSync(`${ROOT}docs`)
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
  'fixtures/README.md',
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

/** What is written in backticks, outside fenced blocks. */
export function codeSpans(document: string): string[] {
  const prose = read(document).replace(/^```[\s\S]*?^```$/gm, '');
  return [...prose.matchAll(/`([^`\n]+)`/g)].map((match) => match[1]);
}

export interface Link {
  /** A path relative to the root, and the heading's anchor without `#`, or ''. */
  readonly path: string;
  readonly anchor: string;
}

/** The links to files of the repository. */
export function linksIn(document: string, text = read(document)): Link[] {
  return [...text.matchAll(/\]\(([^)\s:#]*)(?:#([^)\s]*))?\)/g)].map(({ 1: target, 2: anchor }) => ({
    path: target === '' ? document : posix.join(posix.dirname(document), target),
    anchor: anchor ?? '',
  }));
}

/** The anchors that GitHub gives the headings of a document. */
export function anchorsOf(document: string): string[] {
  return [...read(document).matchAll(/^#+ (.*)$/gm)].map((match) =>
    match[1]
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}
