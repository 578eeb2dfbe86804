/**
 * Resolves the names of fields in keys to numbers, by the header of CSV. Pure: maps an ordering to one without names.
 */
import type { KeyPart, Ordering } from '../job/ordering.js';
import { displayName, quoteName } from '../report/names.js';
import { GpusortError } from '../system/errors.js';
import { csvFieldEnd, csvFields } from './csv-fields.js';

/** A byte order mark in UTF-8, which is not part of the first name; one character for each byte. */
const MARK = '\xef\xbb\xbf';
/** The usual separators of fields. */
const [TAB, COMMA, SEMICOLON, BAR] = ['\t', ',', ';', '|'].map((one) => one.charCodeAt(0));

function hasNames({ key }: Ordering): boolean {
  return 'parts' in key && key.parts.some(({ name }) => name !== undefined);
}

/**
 * The ordering with numbers instead of names. The first record of `header` (as it was read) names the fields. Throws
 * `usage` if no field has the name, or several have it.
 */
export function withoutNames(ordering: Ordering, header: Uint8Array, separator: number): Ordering {
  const { key, format } = ordering;
  if (!('parts' in key) || format.kind !== 'lines' || !hasNames(ordering)) return ordering;
  const text = Buffer.from(header).toString('latin1').split(String.fromCharCode(format.delimiter), 1)[0];
  const columns = new Columns(text.startsWith(MARK) ? text.slice(MARK.length) : text, separator);
  return { ...ordering, key: { ...key, parts: key.parts.flatMap((part) => withNumbers(part, columns)) } };
}

/** The names of a header, and where each one stands: thousands of keys may name thousands of fields. */
class Columns {
  readonly names: readonly string[];
  private readonly places = new Map<string, number[]>();
  private readonly record: string;
  private readonly separator: number;

  constructor(record: string, separator: number) {
    this.names = fieldsOf(record, separator);
    this.record = record;
    this.separator = separator;
    for (const [i, name] of this.names.entries()) {
      const places = this.places.get(name);
      if (places === undefined) this.places.set(name, [i]);
      else places.push(i);
    }
  }

  find(name: string): readonly number[] {
    return this.places.get(name) ?? [];
  }

  /** The advice if only the case of a name differs, or another usual separator gives a field this name. */
  adviceFor(name: string): string | undefined {
    const similar = this.names.find((own) => own.toLowerCase() === name.toLowerCase());
    if (similar !== undefined)
      return `Did you mean ${quoteName(Buffer.from(similar, 'latin1'))}? Names match byte for byte.`;
    const other = [COMMA, SEMICOLON, TAB, BAR].find((one) => fieldsOf(this.record, one).includes(name));
    if (other === undefined) return undefined;
    if (other === TAB) return 'Fields seem to be separated by tabs: use --tsv.';
    const shown = `'${String.fromCharCode(other)}'`;
    const remedy =
      this.separator === TAB
        ? `use --csv${other === COMMA ? '' : ` -t ${shown}`} instead of --tsv`
        : `${this.separator === COMMA ? 'add' : 'use'} -t ${shown}`;
    return `Fields seem to be separated by ${shown}: ${remedy}.`;
  }
}

function withNumbers({ name, instead, ...part }: KeyPart, columns: Columns): KeyPart[] {
  if (name === undefined) return [part];
  const wanted = Buffer.from(name).toString('latin1');
  const found = columns.find(wanted);
  if (found.length === 0 && instead !== undefined) return instead.flatMap((other) => withNumbers(other, columns));
  if (found.length === 0) {
    const names = columns.names.map((own) => displayName(Buffer.from(own, 'latin1')));
    throw new GpusortError('usage', `no field is named ${quoteName(Buffer.from(name))}`, {
      hint: columns.adviceFor(wanted) ?? `Use a name from the header: ${names.join(', ')}.`,
    });
  }
  if (found.length > 1) {
    const numbers = found.map((i) => i + 1);
    throw new GpusortError(
      'usage',
      `${numbers.length} fields are named ${quoteName(Buffer.from(name))}: ${numbers.join(', ')}`,
      { hint: `Give the number of one, for example ${part.isGroup ? '--per' : '-k'} ${numbers[0]},${numbers[0]}.` },
    );
  }
  const {
    span: { begin, end },
  } = part;
  const field = found[0];
  const span = {
    ...part.span,
    begin: { ...begin, field: begin.field + field },
    end: end && { ...end, field: end.field + field },
  };
  return [{ ...part, span }];
}

/** The unquoted fields of a CSV record; one character for each byte. */
function fieldsOf(record: string, separator: number): string[] {
  const fields = csvFields(Buffer.from(record, 'latin1'), separator);
  return fields.begins.map((begin, i) =>
    Buffer.from(fields.text.subarray(begin, csvFieldEnd(fields, i))).toString('latin1'),
  );
}
