/** Plain readers of FASTQ and FASTA in latin1 text, and texts to read: valid ones, and damaged ones. */
import type { Framer } from '../../src/records/record-finder.js';
import { GpusortError } from '../../src/system/errors.js';
import type { RandomBelow } from '../support/random.js';

/** The expected beginning of a message. */
export class Refused extends Error {}

const withoutReturn = (line: string): string => line.replace(/\r$/, '');

/** The lines of a text, of which the last one need not end. */
function linesOf(text: string): string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

export const nameOf = (line: string): string => /^[^\0- ]*/.exec(line.slice(1))![0];
export const bareName = (name: string): string => name.replace(/\/\d$/, '');

/** Yields the records of a FASTQ text; throws at the first line that is wrong. `checkName` gets each header. */
export function* readFastq(
  text: string,
  label: string,
  perRecord = 4,
  checkName: (line: string, i: number) => void = () => undefined,
): Generator<string[]> {
  const lines = linesOf(text);
  let record: string[] = [];
  for (const [i, line] of lines.entries()) {
    const refused = new Refused(`${label}: line ${i + 1}`);
    if (record.length === 0 && /^(\r|$)/.test(line)) {
      if (/^[\r\n]*$/.test(lines.slice(i).join('\n'))) return;
      throw refused;
    }
    const kind = record.length % 4;
    if ((kind === 0 && line[0] !== '@') || (kind === 2 && line[0] !== '+') || line.includes('\0')) throw refused;
    if (kind === 3 && withoutReturn(line).length !== withoutReturn(record.at(-2)!).length) throw refused;
    if (kind === 0) checkName(line, i);
    record.push(line);
    if (record.length === perRecord) {
      yield record;
      record = [];
    }
  }
  if (record.length === 0) return;
  const empty = record.length === perRecord - 1 && text.endsWith('\n') && withoutReturn(record.at(-2)!) === '';
  if (!empty) throw new Refused(`${label}: line ${lines.length - record.length + 1}`);
  yield [...record, ''];
}

/** Refuses different names in a record. */
export function equalNames(label: string, perRecord: number): (line: string, i: number) => void {
  let first = '';
  return (line, i) => {
    if (i % perRecord === 0) first = nameOf(line);
    else if (bareName(nameOf(line)) !== bareName(first)) throw new Refused(`${label}: line ${i + 1}`);
  };
}

export const framed = (records: Iterable<readonly string[]>): string =>
  [...records].map((lines) => `${lines.join('\n')}\0`).join('');

export function frameFasta(text: string, label: string): string {
  const lines = linesOf(text);
  for (const [i, line] of lines.entries())
    if ((i === 0 && line[0] !== '>') || line[0] === ';' || line.includes('\0'))
      throw new Refused(`${label}: line ${i + 1}`);
  return text === '' ? '' : `${text.replace(/\n$/, '').replaceAll('\n>', '\0>')}\0`;
}

/** The result of `work`, or how the message of its error begins. */
export async function resultOf(work: () => string | Promise<string>): Promise<{ text?: string; refused?: string }> {
  try {
    return { text: await work() };
  } catch (error) {
    if (error instanceof Refused || (error instanceof GpusortError && error.code === 'bad-records'))
      return { refused: error.message };
    throw error;
  }
}

/** Passes a text to a framer in parts of the given sizes, each in memory of its own that is then overwritten. */
export function frame(framer: Framer, text: string, partBytes: () => number): string {
  const bytes = Buffer.from(text, 'latin1');
  let result = '';
  for (let at = 0; at < bytes.length; ) {
    const part = Buffer.from(bytes.subarray(at, (at += partBytes())));
    result += Buffer.from(framer.next(part)).toString('latin1');
    part.fill(0x2a);
  }
  return result + Buffer.from(framer.end()).toString('latin1');
}

const pick = (below: RandomBelow, ...words: string[]): string => words[below(words.length)];
const draw = (below: RandomBelow, length: number, letters: string): string =>
  Array.from({ length }, () => letters[below(letters.length)]).join('');

/** The lines of a read. Qualities may begin with `@` or `+`. */
export function drawRead(below: RandomBelow, name: string, most: number, end: string): string {
  const length = below(5) === 0 ? 0 : below(most);
  const lines = [`@${name}${pick(below, '', ' 1:N:0', '\tx')}`, draw(below, length, 'ACGTN')];
  return [...lines, pick(below, '+', `+${name}`), draw(below, length, '@+>I!\xff')].map((line) => line + end).join('');
}

/** A name without /1 or /2 at its end. */
export const drawName = (below: RandomBelow): string =>
  `${draw(below, below(10) === 0 ? 250 : 1 + below(12), 'ab:/0123456789')}x`;

/** A text of `count` records of `perRecord` lines; mates have equal names but for /1 and /2. */
export function drawFastq(below: RandomBelow, count: number, perRecord: number, most: number): string {
  const end = pick(below, '\n', '\n', '\r\n');
  let text = '';
  for (let i = 0; i < count; i++) {
    const name = drawName(below);
    for (let k = 0; k < perRecord / 4; k++) text += drawRead(below, name + pick(below, '', `/${k + 1}`), most, end);
  }
  return pick(below, text, text, text.replace(/\r?\n$/, ''), `${text}\n`, `${text}\r\n\n`);
}

export function drawFasta(below: RandomBelow, count: number): string {
  const end = pick(below, '\n', '\n', '\r\n');
  let text = '';
  for (let i = 0; i < count; i++) {
    text += `>${drawName(below)}${end}`;
    for (let k = below(4); k > 0; k--) text += draw(below, below(40), 'ACGT>').replace(/^>/, 'A') + end;
  }
  return pick(below, text, text, text.replace(/\r?\n$/, ''), `${text}${end}`);
}

/** Changes, inserts or removes some bytes. */
export function damage(below: RandomBelow, text: string): string {
  for (let i = below(3); i >= 0; i--) {
    const at = below(text.length + 1);
    const removed = pick(below, '', text.slice(at, at + 1), text.slice(at, at + 1), text.slice(at, at + below(60)));
    const added = pick(below, '', '', '\n', '\r', '\0', '@', '+', '>', ';', '\n>', '\n;', 'A', '/1', '\n\n');
    text = text.slice(0, at) + added + text.slice(at + removed.length);
  }
  return text;
}
