/** Splits text into words as a POSIX shell does: at blanks, with quotes and backslashes. Nothing is expanded. */
import { isUtf8 } from 'node:buffer';
import { GpusortError } from '../../system/errors.js';

/** A part of a word: 'in single quotes', "in double quotes", an escaped character, or plain characters. */
const PART = /'([^']*)'|"((?:[^"\\]|\\[\s\S])*)"|\\([\s\S])|([^ \t\n'"\\]+)/y;
const BLANKS = /[ \t\n]+/y;

/** `text` has one character per byte; the words are decoded. `spelling`: the option's name in messages. */
export function splitWords(text: string, spelling: string): string[] {
  if (!isUtf8(Buffer.from(text, 'latin1'))) throw new GpusortError('usage', `${spelling} is not valid UTF-8`);
  const words: string[] = [];
  let word: string | null = null;
  const endWord = (): void => {
    if (word !== null) words.push(Buffer.from(word, 'latin1').toString('utf8'));
    word = null;
  };
  for (let at = 0; at < text.length; ) {
    const part = matchAt(PART, text, at);
    const found = part ?? matchAt(BLANKS, text, at);
    if (found === null) throw unfinished(text[at], spelling);
    if (part === null) endWord();
    else if (part[0] !== '\\\n') word = (word ?? '') + meaningOf(part); // else the line continues
    at += found[0].length;
  }
  endWord();
  return words;
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

function meaningOf([, single, double, escaped, plain]: RegExpExecArray): string {
  // Inside double quotes, a backslash before another character is plain.
  return single ?? double?.replace(/\\(?:\n|([$`"\\]))/g, '$1') ?? escaped ?? plain;
}

/** The error for a quote that is never closed, or a backslash with nothing after it. */
function unfinished(character: string, spelling: string): GpusortError {
  return character === '\\'
    ? new GpusortError('usage', `backslash at the end of ${spelling}`, { hint: 'Write two for a backslash.' })
    : new GpusortError('usage', `unclosed ${character} in ${spelling}`, {
        hint: 'Close the quote, or write a backslash before a quote that is part of a word.',
      });
}
