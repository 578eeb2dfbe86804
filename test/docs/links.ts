/** The links of Markdown documents, and the anchors that GitHub gives their headings. */
import { posix } from 'node:path';
import { read } from './documents.js';

export interface Link {
  /** A path relative to the root, and the heading's anchor without `#`, or ''. */
  readonly path: string;
  readonly anchor: string;
}

/** The targets of all links and images, as written; not those inside code. */
export function targetsIn(text: string): string[] {
  const prose = withoutFences(text).replace(/(`+)[\s\S]*?\1/g, '');
  const inline = [...prose.matchAll(/\]\(\s*<?([^)\s>]*)>?(?:\s+"[^"]*")?\s*\)/g)].map((match) => match[1]);
  const others = [
    ...prose.matchAll(/^\[[^\]]+\]:\s*<?([^\s>]+)/gm),
    ...prose.matchAll(/<((?:https?|ftp|mailto):[^>\s]+)>/g),
    ...prose.matchAll(/\b(?:href|src)="([^"]+)"/g),
  ].map((match) => match[1]);
  return [...inline, ...others];
}

const isExternal = (target: string): boolean => /^(?:[a-z][a-z\d+.-]*:|\/\/)/i.test(target);

/** The links to files of the repository. */
export function linksIn(document: string, text = read(document)): Link[] {
  return targetsIn(text)
    .filter((target) => !isExternal(target))
    .map((target) => {
      const [path, anchor = ''] = target.split('#');
      return { path: path === '' ? document : posix.join(posix.dirname(document), decodeURI(path)), anchor };
    });
}

/** The links that leave the repository. */
export function externalLinksIn(document: string): string[] {
  return targetsIn(read(document)).filter(isExternal);
}

/** A heading's anchor, if no earlier heading has the same one. */
export function slugOf(heading: string): string {
  return heading
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, '')
    .replaceAll(' ', '-');
}

/** The anchors of all headings; a number is added to one that occurred before. Also those of `<a name>` and `id`. */
export function anchorsIn(text: string): string[] {
  const prose = withoutFences(text);
  const seen = new Map<string, number>();
  const headings = [...prose.matchAll(/^ {0,3}#{1,6} +(.*?)(?: +#+)?$/gm)].map(({ 1: heading }) => {
    const slug = slugOf(heading);
    const count = seen.get(slug) ?? 0;
    seen.set(slug, count + 1);
    return count === 0 ? slug : `${slug}-${count}`;
  });
  return [...headings, ...[...prose.matchAll(/\b(?:name|id)="([^"]+)"/g)].map((match) => match[1])];
}

function withoutFences(text: string): string {
  return text.replace(/^( *)(`{3,}|~{3,})[^\n]*\n[\s\S]*?^ *\2[`~]*$/gm, '');
}
