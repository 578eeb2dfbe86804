/**
 * Finds where a record begins in FASTQ of four lines per read, from any line on. `@` and `+` may also begin qualities,
 * so no line shows by itself which of the four it is. But one of the first four lines after a place begins a record,
 * and three of these four guesses soon contradict the rules of the format: sequences begin neither with `@` nor with
 * `+`. The right guess never does, so the last guess left is right. Knows no files.
 */

const [NEWLINE, RETURN, PLUS, AT] = [10, 13, 43, 64];
const LINES = 4;

/** A line of the text: where it begins, its first byte, and its length without its line end. */
interface Line {
  readonly begin: number;
  readonly first: number;
  readonly length: number;
}

export class ReadBoundary {
  /** The line that continues beyond the text so far: where it begins, and its first and last bytes. */
  private begin: number;
  private first = NEWLINE;
  private last = NEWLINE;
  private at: number;
  private count = 0;
  /** The last lines, by their number modulo 4. */
  private readonly lines: Line[] = [];
  /** For each line of the first four, whether a record may begin there. */
  private readonly guesses = [true, true, true, true];

  /** A line must begin at byte `at`. */
  constructor(at: number) {
    this.begin = at;
    this.at = at;
  }

  /**
   * Takes the next bytes of the text. Returns the beginning of a record that follows another whole record; null: no
   * boundary is certain yet.
   */
  next(bytes: Buffer): number | null {
    const from = this.at;
    this.at += bytes.length;
    for (let at = from; at < this.at; ) {
      const newline = bytes.indexOf(NEWLINE, at - from);
      const end = newline < 0 ? this.at : from + newline;
      if (at === this.begin) this.first = bytes[at - from];
      if (end > at) this.last = bytes[end - from - 1];
      if (newline < 0) return null;
      const returns = end > this.begin && this.last === RETURN ? 1 : 0;
      const line = { begin: this.begin, first: this.first, length: end - this.begin - returns };
      if (this.endsSearch(line)) return line.begin;
      at = this.begin = end + 1;
    }
    return null;
  }

  /** Whether no guess is left: the text is not FASTQ of four lines. */
  get isRefuted(): boolean {
    return !this.guesses.includes(true);
  }

  private endsSearch(line: Line): boolean {
    const number = this.count++;
    const sequence = this.lines[(number + 2) % LINES];
    for (let guess = 0; guess < LINES; guess++) {
      const kind = (number + LINES - guess) % LINES;
      const contradicts =
        (kind === 0 && line.first !== AT) ||
        (kind === 2 && line.first !== PLUS) ||
        (kind === 3 && sequence !== undefined && line.length !== sequence.length);
      if (contradicts) this.guesses[guess] = false;
    }
    this.lines[number % LINES] = line;
    const [guess, ...others] = [0, 1, 2, 3].filter((i) => this.guesses[i]);
    return others.length === 0 && number >= LINES && guess === number % LINES;
  }
}
