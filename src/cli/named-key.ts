/**
 * Keys by names: -k NAME[:LETTERS] of a field that the header of CSV names, and --json PATH[:LETTERS] of a value. A backslash makes the character behind it an
 * ordinary one.
 */
import { GpusortError } from '../report/errors.js';
import { parseKeyDefinition, parseLetters, type KeyDefinition } from './key-definition.js';
import { quoteLikeC } from './values.js';

const FIRST = { field: 0, byte: 0 };

/** Reads `-k TEXT` under --csv: a name where it is no KEYDEF. */
export function parseCsvKey(text: string): KeyDefinition {
  try {
    return parseKeyDefinition(text);
  } catch (error) {
    // Letters of a KEYDEF that contradict each other are looked at later.
    if (!(error instanceof GpusortError)) throw error;
  }
  const { names: [name], letters } = split(text, null);
  return { begin: FIRST, end: FIRST, modifiers: parseLetters(letters, text), name: name! };
}

/** Reads `--json TEXT`; nothing stands for all of the line's value. */
export function parseJsonKey(text: string): KeyDefinition {
  const { names, letters } = split(text, '.');
  return { begin: FIRST, end: null, modifiers: parseLetters(letters, text), path: names.length === 1 && names[0] === '' ? [] : names };
}

/** The names before the first colon, parted by `part`, and what is behind it. */
function split(text: string, part: string | null): { names: string[]; letters: string } {
  const names = [''];
  for (let i = 0; i < text.length; i++) {
    if (text[i] === ':') return { names, letters: text.slice(i + 1) };
    if (text[i] === part) names.push('');
    else {
      if (text[i] === '\\' && ++i === text.length) throw new GpusortError('usage', `nothing behind the backslash in ${quoteLikeC(text)}`);
      names[names.length - 1] += text[i]!;
    }
  }
  return { names, letters: '' };
}
