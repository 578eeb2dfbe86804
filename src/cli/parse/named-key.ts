/**
 * Keys by name: -k NAME[:LETTERS] for a field that the CSV header names, and --json PATH[:LETTERS] for a value. A
 * backslash makes the next character an ordinary one.
 */
import { GpusortError } from '../../report/errors.js';
import { type KeyDefinition, parseKeyDefinition, parseLetters } from './key-definition.js';
import { quoteLikeC } from './values.js';

const FIRST = { field: 0, byte: 0 };

/** Parses `-k TEXT` under --csv: a name if it is not a KEYDEF. */
export function parseCsvKey(text: string): KeyDefinition {
  try {
    return parseKeyDefinition(text);
  } catch (error) {
    // Incompatible letters are not found here: ordering.ts rejects them.
    if (!(error instanceof GpusortError)) throw error;
  }
  const {
    names: [name],
    letters,
  } = split(text, null);
  return { begin: FIRST, end: FIRST, modifiers: parseLetters(letters, text), name: name! };
}

/** Parses `--json TEXT`. An empty path is the whole value of the line. */
export function parseJsonKey(text: string): KeyDefinition {
  const { names, letters } = split(text, '.');
  return {
    begin: FIRST,
    end: null,
    modifiers: parseLetters(letters, text),
    path: names.length === 1 && names[0] === '' ? [] : names,
  };
}

/** The names before the first colon, separated by `separator`, and the letters after it. */
function split(text: string, separator: string | null): { names: string[]; letters: string } {
  const names = [''];
  for (let i = 0; i < text.length; i++) {
    if (text[i] === ':') return { names, letters: text.slice(i + 1) };
    if (text[i] === separator) names.push('');
    else {
      if (text[i] === '\\' && ++i === text.length)
        throw new GpusortError('usage', `nothing after the backslash in ${quoteLikeC(text)}`);
      names[names.length - 1] += text[i];
    }
  }
  return { names, letters: '' };
}
