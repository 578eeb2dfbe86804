/** The remedies in the source: literals that are a hint, or that begin a sentence or a clause like one. */
import { MODULES } from '../structure/modules.js';

const VERBS =
  'Use|Give|Name|Add|Leave|Sort|Check|Run|Try|Write|Copy|Convert|Decompress|Raise|Remove|Unwrap|Install|Get|Close|' +
  'Shorten|Start|Make|Set|Put|Choose|Finish|Wait|Look|Free|Let|Rename';
const BEGINS = new RegExp(`(?:^|[.;:] )(?:${VERBS})\\b`);
const CLAUSE = new RegExp(`(?:[;:] |, |\\bor )(?:${VERBS.toLowerCase()})\\b`);
const OPTION = /(?:^|[\s`])--?[a-zA-Z]/;
const HINT = /hint\w*['"]?\s*[:=]\s*[^,;]*$/i;
const LITERAL = /'((?:[^'\\\n]|\\.)*)'|`((?:[^`\\\n]|\\.)*)`|"((?:[^"\\\n]|\\.)*)"/g;
/** Code that prints help, and tables that are not remedies, reword them, or have tests of their own. */
const HELP = /^cli\/(?:help|options\/\w+-rows|parse\/other-words)|^system\/system-texts|^library\/hints/;
/** The number of characters before a literal in which its name as a hint may be. */
const NEAR = 60;

/** All remedies, by the text of their literal, with the files that have it. */
export function remediesInSource(): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const { file, text } of MODULES.values()) {
    if (HELP.test(file)) continue;
    const code = text
      .replace(/\/\*[\s\S]*?\*\//g, (comment) => ' '.repeat(comment.length))
      .replace(/^\s*\/\/.*$/gm, '');
    for (const { words, at } of sentencesIn(code)) {
      const isHint = HINT.test(code.slice(Math.max(0, at - NEAR), at));
      if (words.trim().includes(' ') && (isHint || BEGINS.test(words) || (CLAUSE.test(words) && OPTION.test(words))))
        found.set(words, [...(found.get(words) ?? []), file]);
    }
  }
  return found;
}

/** The literals of the code, each with its place. Those that are added to each other are one. */
function sentencesIn(code: string): { words: string; readonly at: number }[] {
  const found: { words: string; readonly at: number }[] = [];
  let end = 0;
  for (const match of code.matchAll(LITERAL)) {
    const words = match[1] ?? match[2] ?? match[3]!;
    const last = found.at(-1);
    if (last !== undefined && /^\s*\+\s*$/.test(code.slice(end, match.index))) last.words += words;
    else found.push({ words, at: match.index });
    end = match.index + match[0].length;
  }
  return found;
}
