/** Paths, identifiers, links and npm scripts that the documents name exist. */
import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { codeSpans, DOCUMENTS, ROOT, read } from './documents.js';
import { anchorsIn, externalLinksIn, linksIn } from './links.js';

/** The hosts that documents may link to. Nothing is fetched. */
const HOSTS = [
  'biomejs.dev',
  'duckdb.org',
  'fast-check.dev',
  'github.com',
  'icu.unicode.org',
  'keepachangelog.com',
  'semver.org',
  'sortbenchmark.org',
  'www.htslib.org',
  'www.rfc-editor.org',
];
/** Folders that are not in the repository: a link into them is dead on any other machine. */
const IGNORED = ['.git', ...[...read('.gitignore').matchAll(/^\/([^/\n*]+)\/?$/gm)].map((match) => match[1])];
const FOLDERS = readdirSync(ROOT, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !IGNORED.includes(entry.name))
  .map(({ name }) => name);
/** The names of exports: `gpusort/kernels` is not a path. */
const MODULES = Object.keys((JSON.parse(read('package.json')) as { exports?: object }).exports ?? {}).map((path) =>
  path.replace('.', 'gpusort'),
);
/** The folders that the build and other scripts make. */
const BUILT =
  /^(?:dist|\.cache|share|lib\/gpusort)\/|^main\.(?:cjs|code)$|^worker\.cjs$|^bin\/gpusort(?:\.cmd)?$|^gpusort-VERSION/;
const FILE = /^[a-z][\w.*-]*\.(?:[cm]?[jt]s|wgsl|md|json|1)$/;

/** All files, and all folders with a slash at the end, each with a slash at its beginning. */
const paths: readonly string[] = [
  ...readdirSync(ROOT, { withFileTypes: true }).flatMap((entry) => (entry.isFile() ? `/${entry.name}` : [])),
  ...FOLDERS.flatMap((folder) => [
    `/${folder}/`,
    ...readdirSync(ROOT + folder, { recursive: true, withFileTypes: true }).map(
      (entry) => `/${entry.parentPath.slice(ROOT.length)}/${entry.name}${entry.isDirectory() ? '/' : ''}`,
    ),
  ]),
];

/** Whether a code span is a path in the repository: from the root, or from the folder that its section is about. */
function isPath(span: string): boolean {
  return (
    /^[\w.*/-]+$/.test(span) &&
    !span.startsWith('/') &&
    !BUILT.test(span) &&
    !MODULES.includes(span) &&
    (span.includes('/') || FILE.test(span))
  );
}

/** A kernel may stand without its extension. */
function exists(span: string): boolean {
  const fromRoot = FOLDERS.some((folder) => span.startsWith(`${folder}/`));
  const pattern = span.replaceAll('.', '\\.').replaceAll('*', '[^/]*');
  const path = new RegExp(`${fromRoot ? '^' : ''}/${pattern}(?:\\.wgsl)?$`);
  return paths.some((candidate) => path.test(candidate));
}

/** Whether a path relative to the root is a file or a folder of the repository. */
function isStored(path: string): boolean {
  const bare = path.replace(/\/$/, '');
  return bare === '.' || paths.includes(`/${bare}`) || paths.includes(`/${bare}/`);
}

/** `NAME` in `FILE`, or `NAME` (`FILE`). */
const NAME_IN_FILE = /`([A-Za-z_]\w*)(?:\(\))?`(?:\s+in\s+|\s+\()`([\w.*/-]+\.(?:[cm]?[jt]s|wgsl))`/g;
/** An identifier that is no plain word. */
const IDENTIFIER = /^(?:\w*[a-z]\w*[A-Z]\w*|[A-Z][a-z]+|[A-Z]+_\w+)$/;

/** The stored files whose path ends in this one. */
const filesNamed = (path: string): readonly string[] =>
  paths.filter((candidate) => candidate.endsWith(`/${path}`)).map((candidate) => candidate.slice(1));

/** Whether a text has an identifier. */
const has = (text: string, name: string): boolean => new RegExp(`\\b${name}\\b`).test(text);

describe.each(DOCUMENTS)('%s', (document) => {
  it('names only identifiers that are in the file beside them', () => {
    const missing = [...read(document).matchAll(NAME_IN_FILE)]
      .filter(([, name, path]) => !filesNamed(path!).some((file) => has(read(file), name!)))
      .map(([text]) => text);
    expect(missing).toEqual([]);
  });

  it('names only paths that exist', () => {
    expect(codeSpans(document).filter((span) => isPath(span) && !exists(span))).toEqual([]);
  });

  it('links only to files and headings that exist', () => {
    const broken = linksIn(document).filter(
      ({ path, anchor }) =>
        !isStored(path) || (anchor !== '' && !(path.endsWith('.md') && anchorsIn(read(path)).includes(anchor))),
    );
    expect(broken).toEqual([]);
  });

  it('links only to hosts of the list', () => {
    const others = externalLinksIn(document).filter(
      (link) => !link.startsWith('https:') || !HOSTS.includes(new URL(link).host),
    );
    expect(others).toEqual([]);
  });

  it('names only npm scripts that exist', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const named = [...read(document).matchAll(/npm run ([a-z][\w:-]*)/g)].map((match) => match[1]);
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
  });
});

it.each(['CONTRIBUTING.md', 'docs/architecture.md', 'docs/decisions.md'])(
  '%s names identifiers that exist',
  (document) => {
    const names = new Set(codeSpans(document).filter((span) => IDENTIFIER.test(span)));
    for (const path of paths) {
      if (names.size === 0) break;
      if (!/^\/(?:src|kernels|test|tools|[^/]*$)/.test(path) || !/\.(?:[cm]?[jt]s|wgsl|json)$/.test(path)) continue;
      const text = read(path.slice(1));
      for (const name of names) if (has(text, name)) names.delete(name);
    }
    expect([...names]).toEqual([]);
  },
);
