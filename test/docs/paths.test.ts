/** Paths, links and npm scripts that the documents name exist. */
import { existsSync, readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { anchorsOf, codeSpans, DOCUMENTS, linksIn, ROOT, read } from './documents.js';

const FOLDERS = ['.ci', 'bin', 'docs', 'fixtures', 'kernels', 'packaging', 'release', 'src', 'test'];
/** What the build and `npm run release` make. */
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
    /^[\w.*/-]+$/.test(span) && !span.startsWith('/') && !BUILT.test(span) && (span.includes('/') || FILE.test(span))
  );
}

/** A kernel may stand without its extension. */
function exists(span: string): boolean {
  const fromRoot = FOLDERS.some((folder) => span.startsWith(`${folder}/`));
  const pattern = span.replaceAll('.', '\\.').replaceAll('*', '[^/]*');
  const path = new RegExp(`${fromRoot ? '^' : ''}/${pattern}(?:\\.wgsl)?$`);
  return paths.some((candidate) => path.test(candidate));
}

describe.each(DOCUMENTS)('%s', (document) => {
  it('names only paths that exist', () => {
    expect(codeSpans(document).filter((span) => isPath(span) && !exists(span))).toEqual([]);
  });

  it('links only to files and headings that exist', () => {
    const broken = linksIn(document).filter(
      ({ path, anchor }) =>
        !existsSync(ROOT + path) || (anchor !== '' && path.endsWith('.md') && !anchorsOf(path).includes(anchor)),
    );
    expect(broken).toEqual([]);
  });

  it('names only npm scripts that exist', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const named = [...read(document).matchAll(/npm run ([a-z][\w:-]*)/g)].map((match) => match[1]);
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
  });
});
