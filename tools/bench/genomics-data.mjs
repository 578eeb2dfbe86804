/**
 * Makes the benchmark files of genomics, seeded and the same on every machine. A command:
 *
 *     node tools/bench/genomics-data.mjs KIND FILE [--records N] [--depth D] [--seed S] [--from FILE]
 *
 * Kinds: reads and mates (FASTQ: files 1 and 2 of pairs of 150 bases, from a random genome that they cover D times),
 * sam (pairs of the same kind, as alignments in no order), bam (the same, not compressed), bed (intervals with six
 * columns), and alignments: the records of the SAM text --from, shuffled.
 */
import { closeSync, openSync, readFileSync, realpathSync, writeSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { fillRandom } from './random.mjs';

/** Approximate bytes of one write. */
const BLOCK_BYTES = 4 << 20;
/** More bytes than any record has. */
const RECORD_BYTES = 1 << 10;
const READ_BASES = 150;
const NEWLINE = 10;
const TAB = 9;
const COMPLEMENT = new Uint8Array(256);
for (const [base, other] of ['AT', 'CG', 'GC', 'TA', 'NN']) COMPLEMENT[base.charCodeAt(0)] = other.charCodeAt(0);

/** Random numbers from a state of 32 bits. */
class Dice {
  #words = new Uint32Array(1 << 14);
  #at = this.#words.length;
  #state;

  constructor(seed) {
    this.#state = Math.imul(seed, 0x9e3779b1) | 1;
  }

  /** 32 random bits. */
  bits() {
    if (this.#at === this.#words.length) {
      this.#state = fillRandom(this.#words, this.#state);
      this.#at = 0;
    }
    return this.#words[this.#at++];
  }

  /** A number from 0 to `n` - 1. */
  below(n) {
    return Math.floor((this.bits() / 2 ** 32) * n);
  }
}

/** A block of text that grows at its end. */
class Text {
  bytes = Buffer.alloc(BLOCK_BYTES);
  length = 0;

  word(bytes) {
    this.bytes.set(bytes, this.length);
    this.length += bytes.length;
  }

  byte(value) {
    this.bytes[this.length++] = value;
  }

  /** A decimal number. */
  number(value) {
    let digits = 1;
    for (let power = 10; power <= value; power *= 10) digits++;
    for (let i = digits, rest = value; i-- > 0; rest = Math.floor(rest / 10))
      this.bytes[this.length + i] = 48 + (rest % 10);
    this.length += digits;
  }
}

/** A genome of `bases` random bases. */
function randomGenome(bases, dice) {
  const genome = Buffer.alloc(bases);
  for (let i = 0; i < bases; )
    for (let k = 0, bits = dice.bits(); k < 16 && i < bases; k++, bits >>>= 2) genome[i++] = ACGT[bits & 3];
  return genome;
}
const ACGT = Buffer.from('ACGT');

/** Qualities as sequencers bin them: good, worse towards the end. */
function qualityStrings(dice) {
  return Array.from({ length: 256 }, () => {
    const good = 60 + dice.below(READ_BASES - 59);
    return Buffer.from(
      Array.from({ length: READ_BASES }, (_, i) => 'FFFFFFF:,#'.charCodeAt(dice.below(i < good ? 8 : 10))),
    );
  });
}

/** Draws pairs: the name, and the place in the genome, of each. Two files of pairs draw the same ones from a seed. */
class Pairs {
  constructor({ records, depth, seed }) {
    this.dice = new Dice(seed);
    this.genome = randomGenome(Math.max(2000, Math.ceil((records * READ_BASES) / depth)), this.dice);
    this.qualities = qualityStrings(this.dice);
    this.bases = Buffer.alloc(READ_BASES);
  }

  draw() {
    const { dice } = this;
    this.insert = 250 + dice.below(300);
    this.start = dice.below(this.genome.length - this.insert);
    this.turned = dice.below(2) === 1;
    this.lane = 1 + dice.below(4);
    this.tile = 1101 + dice.below(78) + 1000 * dice.below(2);
    this.x = 1000 + dice.below(31_000);
    this.y = 1000 + dice.below(36_000);
    this.errors = dice.bits();
    this.spots = dice.bits();
    this.quality = [dice.below(256), dice.below(256)];
  }

  /** The bases that the sequencer reads from one end: the left one, or the right one reversed and complemented. */
  read(left) {
    const { genome, bases, start, insert, errors, spots } = this;
    if (left) genome.copy(bases, 0, start, start + READ_BASES);
    else for (let i = 0, from = start + insert - 1; i < READ_BASES; i++) bases[i] = COMPLEMENT[genome[from - i]];
    // Up to two wrong bases in each read, and an N in one of 64.
    const own = left ? errors : errors >>> 8;
    if (own & 1) bases[(spots & 0xff) % READ_BASES] = ACGT[(own >>> 1) & 3];
    if (own & 8) bases[((spots >>> 8) & 0xff) % READ_BASES] = ACGT[(own >>> 4) & 3];
    if (((errors >>> 16) & 63) === (left ? 0 : 1)) bases[((spots >>> 16) & 0xff) % READ_BASES] = 78;
    return bases;
  }

  name(text) {
    text.word(MACHINE);
    for (const part of [this.lane, this.tile, this.x]) {
      text.number(part);
      text.byte(58);
    }
    text.number(this.y);
  }
}
const MACHINE = Buffer.from('A00123:45:HGVWVDSXX:');

/** FASTQ: the first or the second file of pairs. */
function fastq(mate) {
  const comment = Buffer.from(` ${mate}:N:0:GATTACAG+CTGTAATC\n`);
  const plus = Buffer.from('\n+\n');
  return (options) => {
    const pairs = new Pairs(options);
    return (text) => {
      pairs.draw();
      text.byte(64);
      pairs.name(text);
      text.word(comment);
      text.word(pairs.read((mate === 1) !== pairs.turned));
      text.word(plus);
      text.word(pairs.qualities[pairs.quality[mate - 1]]);
      text.byte(NEWLINE);
    };
  };
}

/** Lengths of contigs, in millions of bases: those of the human genome, rounded. */
const CONTIGS = [
  248, 242, 198, 190, 181, 170, 159, 145, 138, 133, 135, 133, 114, 107, 101, 90, 83, 80, 58, 64, 46, 50,
].map((millions, i) => ({ name: Buffer.from(`chr${i + 1}`), length: millions * 1e6 }));

/** Draws the fields of an alignment: one in two is on the reverse strand, one in 64 unmapped (its contig is -1). */
function drawAlignment(pairs) {
  pairs.draw();
  const { dice, insert } = pairs;
  const second = dice.below(2) === 1;
  const reverse = dice.below(2) === 1;
  if (dice.below(64) === 0) return { second, flag: second ? 141 : 77, contig: -1 };
  const contig = dice.below(CONTIGS.length);
  const start = 1 + dice.below(CONTIGS[contig].length - 1000);
  const end = start + insert - READ_BASES;
  const flag = 3 + (reverse ? 16 : 32) + (second ? 128 : 64);
  return { second, flag, contig, reverse, insert, position: reverse ? end : start, mate: reverse ? start : end };
}

function sam(options) {
  const pairs = new Pairs(options);
  const cigar = Buffer.from('\t150M\t=\t');
  const nowhere = Buffer.from('*\t0\t0\t*\t*\t0\t0\t');
  const tags = Buffer.from('\tNM:i:1\tAS:i:140\n');
  return (text) => {
    const alignment = drawAlignment(pairs);
    pairs.name(text);
    text.byte(TAB);
    text.number(alignment.flag);
    text.byte(TAB);
    if (alignment.contig < 0) text.word(nowhere);
    else {
      text.word(CONTIGS[alignment.contig].name);
      text.byte(TAB);
      text.number(alignment.position);
      text.byte(TAB);
      text.number(60);
      text.word(cigar);
      text.number(alignment.mate);
      text.byte(TAB);
      if (alignment.reverse) text.byte(45);
      text.number(alignment.insert);
      text.byte(TAB);
    }
    text.word(pairs.read(!alignment.second));
    text.byte(TAB);
    text.word(pairs.qualities[pairs.quality[0]]);
    text.word(tags);
  };
}

/** BAM, not compressed: the records that `sam` has as text. Source: the SAM specification, section 4.2. */
function bam(options) {
  const pairs = new Pairs(options);
  const codes = new Uint8Array(256);
  for (const [i, base] of [...'=ACMGRSVTWYHKDBN'].entries()) codes[base.charCodeAt(0)] = i;
  const phreds = pairs.qualities.map((quality) => quality.map((byte) => byte - 33));
  const tags = Buffer.from('NMC\x01ASC\x8c', 'latin1');
  return (text) => {
    const { flag, contig, second, reverse, insert = 0, position = 0, mate = 0 } = drawAlignment(pairs);
    const mapped = contig >= 0;
    const at = text.length;
    text.length += 36;
    pairs.name(text);
    text.byte(0);
    const nameBytes = text.length - at - 36;
    const { bytes } = text;
    bytes.writeInt32LE(contig, at + 4);
    bytes.writeInt32LE(position - 1, at + 8);
    bytes[at + 12] = nameBytes;
    bytes[at + 13] = mapped ? 60 : 0;
    bytes.writeUInt16LE(mapped ? binOf(position - 1, position - 1 + READ_BASES) : UNMAPPED_BIN, at + 14);
    bytes.writeUInt16LE(mapped ? 1 : 0, at + 16);
    bytes.writeUInt16LE(flag, at + 18);
    bytes.writeInt32LE(READ_BASES, at + 20);
    bytes.writeInt32LE(contig, at + 24);
    bytes.writeInt32LE(mate - 1, at + 28);
    bytes.writeInt32LE(reverse ? -insert : insert, at + 32);
    if (mapped) text.length = bytes.writeUInt32LE(READ_BASES << 4, text.length);
    const bases = pairs.read(!second);
    for (let i = 0; i < READ_BASES; i += 2) text.byte((codes[bases[i]] << 4) | codes[bases[i + 1]]);
    text.word(phreds[pairs.quality[0]]);
    text.word(tags);
    bytes.writeInt32LE(text.length - at - 4, at);
  };
}
/** The bin of the interval from -1 to 0. */
const UNMAPPED_BIN = 4680;

/** The smallest bin of the BAM index that holds [begin, end), end excluded. */
function binOf(begin, end) {
  for (let shift = 14, first = 4681; shift < 29; shift += 3, first = (first - 1) >> 3)
    if (begin >> shift === (end - 1) >> shift) return first + (begin >> shift);
  return 0;
}

const SAM_HEADER = `@HD\tVN:1.6\tSO:unsorted\n${CONTIGS.map(({ name, length }) => `@SQ\tSN:${name}\tLN:${length}\n`).join('')}`;

function bamHeader() {
  const number = (value) => Buffer.from(Int32Array.of(value).buffer);
  const text = Buffer.from(SAM_HEADER);
  const contigs = CONTIGS.flatMap(({ name, length }) => [
    number(name.length + 1),
    name,
    Buffer.alloc(1),
    number(length),
  ]);
  return Buffer.concat([Buffer.from('BAM\x01'), number(text.length), text, number(CONTIGS.length), ...contigs]);
}

/** BED with six columns; one interval in four starts where the one before it does. */
function bed({ seed }) {
  const dice = new Dice(seed);
  const peak = Buffer.from('\tpeak');
  let [contig, start, count] = [CONTIGS[0], 0, 0];
  return (text) => {
    if (dice.below(4) > 0) {
      contig = CONTIGS[dice.below(CONTIGS.length)];
      start = dice.below(contig.length);
    }
    text.word(contig.name);
    text.byte(TAB);
    text.number(start);
    text.byte(TAB);
    text.number(start + 1 + dice.below(500));
    text.word(peak);
    text.number(++count);
    text.byte(TAB);
    text.number(dice.below(1000));
    text.byte(TAB);
    text.byte(dice.below(2) === 0 ? 43 : 45);
    text.byte(NEWLINE);
  };
}

/** Each kind: the text before the records, and a function that appends one record after another to a text. */
const KINDS = {
  reads: { header: '', open: fastq(1) },
  mates: { header: '', open: fastq(2) },
  sam: { header: SAM_HEADER, open: sam },
  bam: { header: bamHeader(), open: bam },
  bed: { header: '', open: bed },
};

/**
 * Writes a file of `kind`. Returns its length in bytes.
 * @param {string} kind
 * @param {string} path
 * @param {{ records?: number, depth?: number, seed?: number }} options
 */
export function generateGenomics(kind, path, { records = 200_000, depth = 14, seed = 1 } = {}) {
  if (!(kind in KINDS)) throw new Error(`unknown kind '${kind}': ${Object.keys(KINDS).join(' ')} alignments`);
  const append = KINDS[kind].open({ records, depth, seed });
  const text = new Text();
  text.word(Buffer.from(KINDS[kind].header));
  const file = openSync(path, 'w');
  let bytes = 0;
  try {
    for (let i = 0; i < records; i++) {
      append(text);
      if (text.length < BLOCK_BYTES - RECORD_BYTES && i + 1 < records) continue;
      bytes += writeWhole(file, text.bytes.subarray(0, text.length));
      text.length = 0;
    }
  } finally {
    closeSync(file);
  }
  return bytes;
}

/**
 * Writes the records of a SAM text in random order, or a `share` of them, under a header that says they are unsorted.
 * Returns the bytes of the file.
 */
export function shuffleAlignments(from, path, seed = 1, share = 1) {
  const text = readFileSync(from);
  let body = 0;
  while (text[body] === 64) body = text.indexOf(NEWLINE, body) + 1;
  const starts = [body];
  for (let at = body; at < text.length; starts.push(at)) at = text.indexOf(NEWLINE, at) + 1;
  const order = Uint32Array.from({ length: starts.length - 1 }, (_, i) => i);
  const dice = new Dice(seed);
  for (let i = order.length - 1; i > 0; i--) {
    const other = dice.below(i + 1);
    [order[i], order[other]] = [order[other], order[i]];
  }
  const header = Buffer.from(text.toString('latin1', 0, body).replace(/^(@HD.*\tSO:)\w+/m, '$1unsorted'), 'latin1');
  const shuffled = new Text();
  const file = openSync(path, 'w');
  let bytes = 0;
  try {
    bytes += writeWhole(file, header);
    for (const record of order.subarray(0, Math.ceil(order.length * share))) {
      if (shuffled.length > BLOCK_BYTES / 2) {
        bytes += writeWhole(file, shuffled.bytes.subarray(0, shuffled.length));
        shuffled.length = 0;
      }
      shuffled.word(text.subarray(starts[record], starts[record + 1]));
    }
    bytes += writeWhole(file, shuffled.bytes.subarray(0, shuffled.length));
  } finally {
    closeSync(file);
  }
  return bytes;
}

function writeWhole(file, bytes) {
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at, bytes.length - at);
  return bytes.length;
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const [kind, path, ...rest] = process.argv.slice(2);
  const options = {};
  for (let i = 0; i < rest.length; i += 2)
    options[rest[i].slice(2)] = rest[i] === '--from' ? rest[i + 1] : Number(rest[i + 1]);
  const bytes =
    kind === 'alignments' ? shuffleAlignments(options.from, path, options.seed) : generateGenomics(kind, path, options);
  console.log(`${path}: ${bytes} bytes`);
}
