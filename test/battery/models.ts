/** Simple reference sorts of binary records, CSV and JSON lines, and counts of keys: what GNU sort cannot sort. */
import { type CsvRecord, parseCsv } from '../keys/csv-reference.js';

type Value = string | number;

/** A key of a model: the value of a record to compare. */
export interface ModelKey<T> {
  readonly of: (record: T) => Value;
  readonly reverse?: boolean;
}

export interface ModelOrder<T> {
  readonly keys: readonly ModelKey<T>[];
  readonly reverse?: boolean;
  readonly stable?: boolean;
  readonly unique?: boolean;
}

const compare = (a: Value, b: Value): number => Number(a > b) - Number(a < b);

/** Sorts records by keys, then by `text`: one character a byte. Array.sort is stable. */
export function sortedBy<T>(
  records: readonly T[],
  text: (record: T) => string,
  { keys, reverse = false, stable = false, unique = false }: ModelOrder<T>,
): T[] {
  const byKeys = (a: T, b: T): number =>
    keys.reduce((sign, key) => sign || ((key.reverse ?? reverse) ? -1 : 1) * compare(key.of(a), key.of(b)), 0);
  const sorted = [...records].sort(
    (a, b) => byKeys(a, b) || (stable || unique ? 0 : (reverse ? -1 : 1) * compare(text(a), text(b))),
  );
  return unique ? sorted.filter((record, i) => i === 0 || byKeys(sorted[i - 1], record) !== 0) : sorted;
}

/** Sorts fixed records by the options --key OFFSET:LENGTH, -r, -s and -u. */
export function sortRecords(data: Buffer, size: number, options: readonly string[]): Buffer {
  const keyOption = options.indexOf('--key');
  const [offset, length] = keyOption < 0 ? [0, size] : options[keyOption + 1].split(':').map(Number);
  const flags = options.filter((option) => /^-[a-z]/.test(option)).join('');
  const records = Array.from({ length: data.length / size }, (_, i) =>
    data.toString('latin1', i * size, (i + 1) * size),
  );
  const sorted = sortedBy(records, (record) => record, {
    keys: [{ of: (record) => record.slice(offset, offset + length) }],
    reverse: flags.includes('r'),
    stable: flags.includes('s'),
    unique: flags.includes('u'),
  });
  return Buffer.from(sorted.join(''), 'latin1');
}

/** The header of the first text that has one, then the sorted rows of all texts, each with a newline. */
export function sortCsv(texts: readonly string[], order: ModelOrder<CsvRecord>, separator = ',', header = 1): Buffer {
  const rows = texts.flatMap((text) => parseCsv(text, separator).slice(header));
  const first = parseCsv(texts.find((text) => text !== '') ?? '', separator).slice(0, header);
  const all = [...first, ...sortedBy(rows, ({ raw }) => raw, order)];
  return Buffer.from(all.map(({ raw }) => `${raw}\n`).join(''), 'latin1');
}

/** Sorts lines of one character a byte by values that JSON.parse finds. */
export function sortJson<T>(lines: readonly string[], order: ModelOrder<T>): string[] {
  const rows = lines.map((text) => ({ text, value: JSON.parse(Buffer.from(text, 'latin1').toString()) as T }));
  const bytes = (value: Value): Value => (typeof value === 'string' ? Buffer.from(value).toString('latin1') : value);
  const keys = order.keys.map((key) => ({ ...key, of: (row: (typeof rows)[number]) => bytes(key.of(row.value)) }));
  return sortedBy(rows, ({ text }) => text, { ...order, keys }).map(({ text }) => text);
}

/** The lines of texts, without their newlines. */
export function linesOf(texts: readonly Buffer[], end = '\n'): string[] {
  return texts.flatMap((text) => {
    const lines = text.toString('latin1').split(end);
    return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
  });
}

/** Counts lines by their leading number: in descending order, each with its first line in the input. */
export function countsOfNumbers(lines: readonly string[]): Buffer {
  const groups = new Map<number, { line: string; count: number }>();
  for (const line of lines) {
    const number = Number(/^\d*/.exec(line)![0]);
    const group = groups.get(number);
    if (group === undefined) groups.set(number, { line, count: 1 });
    else group.count++;
  }
  const counted = [...groups].sort(([a], [b]) => b - a);
  return Buffer.from(counted.map(([, { line, count }]) => `${String(count).padStart(7)} ${line}\n`).join(''), 'latin1');
}
