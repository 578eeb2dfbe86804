/**
 * Warnings about the command line. Those of --debug, about keys that may not mean what the user expects and options
 * without effect, have the sentences and conditions of GNU sort, in the C locale or in another. The others are about
 * options and keys that GNU sort lacks.
 */
import { quoteName } from '../../report/names.js';
import type { KeyDefinition, Modifiers } from './key-definition.js';
import { lettersOf, type OrderingRequest, requestedKeys } from './ordering.js';
import { quoteLikeC } from './values.js';

/** Orderings that read a number. */
const NUMERIC = ['n', 'g', 'h'];
/** Orderings that skip leading blanks without `b`. */
const PASSING_BLANKS = [...NUMERIC, 'M'];

/** All warnings, those of --debug in the order of GNU sort. */
export function warningsOf(request: OrderingRequest): string[] {
  if (!request.debug) return unreversedWarnings(request);
  const keys = requestedKeys(request);
  return [
    request.locale === null
      ? 'text ordering performed using simple byte comparison'
      : `text ordering performed using '${request.locale}' sorting rules`,
    ...keys.flatMap((key, i) => keyWarnings(key, i + 1, request)),
    ...numberWarnings(keys, request),
    ...unusedWarnings(keys, request),
  ];
}

/**
 * A warning for each key with letters that -r was probably meant for. As in GNU sort, -r does not apply to a key with
 * letters of its own. If the user reversed any key by its letters, the rule is known.
 */
function unreversedWarnings({ keys, global }: OrderingRequest): string[] {
  if (!global.letters.has('r') || keys.some(({ modifiers }) => modifiers.letters.has('r'))) return [];
  return keys
    .filter(({ modifiers: { letters, beginBlanks } }) => letters.size > 0 || beginBlanks)
    .map(({ name, path, begin, modifiers: { letters, beginBlanks } }) => {
      const key = Buffer.from(name ?? path?.join('.') ?? String(begin.field + 1), 'latin1');
      const given = [...letters, ...(beginBlanks ? ['b'] : [])].join('');
      const own = given.length === 1 ? 'a letter of its own' : 'letters of its own';
      const remedy = `write '${given}r' instead of '${given}'`;
      return `warning: -r does not apply to the key ${quoteName(key)}, which has ${own}: ${remedy}`;
    });
}

/** The warning about an abbreviated --compress-program beside an `output` that is compressed because of its name. */
export function warningsOfShort(argv: readonly string[], output: Buffer): string[] {
  const end = argv.indexOf('--');
  const words = end < 0 ? argv : argv.slice(0, end);
  if (words.some((word) => word.startsWith('--compress-program'))) return [];
  const name = quoteName(output);
  return [
    `warning: --compress is --compress-program, which compresses temporary files; the suffix of ${name} compresses it`,
  ];
}

function keyWarnings(key: KeyDefinition, number: number, { keys, separator }: OrderingRequest): string[] {
  const { begin, end, modifiers, obsolescent } = key;
  const { letters, beginBlanks, endBlanks } = modifiers;
  const warnings: string[] = [];
  if (obsolescent) {
    const [old, now] = end === null ? ['', ''] : [` -${end.field + 1}`, `,${end.field + 1}`];
    warnings.push(`obsolescent key '+${begin.field}${old}' used; consider '-k ${begin.field + 1}${now}' instead`);
  }
  const isEmpty = end !== null && end.field < begin.field;
  if (isEmpty) warnings.push(`key ${number} has zero width and will be ignored`);
  // Without -k there are no further warnings about keys.
  if (keys.length === 0) return warnings;
  const countsFromLineBegin = end !== null && end.field === 0 && end.byte !== 0;
  const passesBlanks = hasAny(letters, PASSING_BLANKS);
  const blanksMatter =
    (!beginBlanks && (!passesBlanks || begin.byte !== 0)) || (!endBlanks && end !== null && end.byte !== 0);
  if (!isEmpty && separator === null && !countsFromLineBegin && blanksMatter) {
    warnings.push(`leading blanks are significant in key ${number}; consider also specifying 'b'`);
  }
  if (spansFields(key)) warnings.push(`key ${number} is numeric and spans multiple fields`);
  return warnings;
}

/** Warnings about separators and other characters that are read as parts of numbers. */
function numberWarnings(keys: readonly KeyDefinition[], { keys: given, separator }: OrderingRequest): string[] {
  const spanning = given.length > 0 ? keys.filter(spansFields) : [];
  const parting = separator?.length === 1 ? String.fromCharCode(separator[0]) : '';
  const treated = (what: string): string => `field separator ${quoteLikeC(parting)} is treated as a ${what} in numbers`;
  const warnings: string[] = [];
  if (spanning.length > 0) {
    if (parting === '.') return [treated('decimal point')];
    if (parting === '-') warnings.push(treated('minus sign'));
    if (parting === '+' && spanning.some(({ modifiers }) => modifiers.letters.has('g')))
      warnings.push(treated('plus sign'));
  }
  // The separator `.` turns the note into a warning.
  const tone = parting === '.' ? '' : 'note ';
  if (keys.some(({ modifiers }) => hasAny(modifiers.letters, NUMERIC)))
    warnings.push(`${tone}numbers use '.' as a decimal point in this locale`);
  return warnings;
}

/** Warnings about global options that no key uses. */
function unusedWarnings(keys: readonly KeyDefinition[], { global, stable, unique }: OrderingRequest): string[] {
  if (keys.length === 0) return [];
  const used = (has: (modifiers: Modifiers) => boolean): boolean => keys.some(({ modifiers }) => has(modifiers));
  const unused = lettersOf(global).filter((letter) => !used((modifiers) => lettersOf(modifiers).includes(letter)));
  const blanks =
    (global.beginBlanks && !used(({ beginBlanks }) => beginBlanks)) ||
    (global.endBlanks && !used(({ endBlanks }) => endBlanks));
  const hasLastResort = !stable && !unique;
  const ignored = [...(blanks ? ['b'] : []), ...unused.filter((letter) => letter !== 'r' || !hasLastResort)];
  return [
    ...(ignored.length === 0
      ? []
      : [ignored.length === 1 ? `option '-${ignored[0]}' is ignored` : `options '-${ignored.join('')}' are ignored`]),
    ...(hasLastResort && unused.includes('r') ? ["option '-r' only applies to last-resort comparison"] : []),
  ];
}

/** Whether a numeric key spans more than one field. */
function spansFields({ begin, end, modifiers }: KeyDefinition): boolean {
  return hasAny(modifiers.letters, NUMERIC) && (end === null || end.field > begin.field);
}

function hasAny(letters: ReadonlySet<string>, some: readonly string[]): boolean {
  return some.some((letter) => letters.has(letter));
}
