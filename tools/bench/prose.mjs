/**
 * Text like the two data sets of Davidson, Tarjan, Garland and Owens (section 5): a list of words (mean 8 characters),
 * and sentences of books (mean 98). Sentences often begin alike, and a few share more than 100 characters.
 */
import { fillWords } from './random.mjs';

const BLOCK_BYTES = 4 << 20;
const [NEWLINE, SPACE, STOP] = [10, 32, 46];
const [ONSETS, VOWELS, ENDS] = [
  'b c d f g h j k l m n p r s t v w st tr pl gr sh th ch br cl'.split(' '),
  'a e i o u e a o ea ou ai ie'.split(' '),
  ['', '', '', '', 'n', 'r', 's', 't', 'l', 'm', 'nd', 'ng', 'st', 'ck'],
];

/** A source of random words: `next` gives 32 bits. */
function drawn(seed, count) {
  const list = new Uint32Array(count);
  fillWords(list, seed, (bits) => bits >>> 0);
  let at = 0;
  return () => list[at++ % count];
}

/** Syllables; those at the beginning are used more often. */
const SYLLABLES = (() => {
  const next = drawn(79, 4096);
  const pick = (list) => list[next() % list.length];
  return Array.from({ length: 1024 }, () => Buffer.from(pick(ONSETS) + pick(VOWELS) + pick(ENDS)));
})();

/** A number below 2^bits from as many random bits: the square of a fraction, so small ones occur more often. */
const skewed = (bits, random) => Math.floor(2 ** bits * (random / 2 ** 32) ** 2);

/** Writes a word of 1 to 4 syllables; returns its end. */
function putWord(block, at, length, random) {
  for (let i = 0, bits = random; i < length; i++, bits = Math.imul(bits, 0x9e3779b1) ^ (bits >>> 15)) {
    const syllable = SYLLABLES[skewed(10, bits >>> 0)];
    for (let k = 0; k < syllable.length; k++) block[at + k] = syllable[k];
    at += syllable.length;
  }
  return at;
}

/** Syllables of a word. */
const LENGTHS = [1, 2, 2, 2, 2, 2, 3, 3];

/** Words, one a line. Of a million, about half are different. */
function wordList() {
  const block = Buffer.alloc(BLOCK_BYTES);
  const random = new Uint32Array(1 << 17);
  return (state) => {
    state = fillWords(random, state, (bits) => bits >>> 0);
    let at = 0;
    for (const bits of random) {
      at = putWord(block, at, LENGTHS[(bits >>> 3) & 7], bits);
      block[at++] = NEWLINE;
    }
    return { state, block: block.subarray(0, at), lineBytes: 0, lines: random.length };
  };
}

/** 2^13 words of a language. A few short ones are used most. */
const VOCABULARY = (() => {
  const next = drawn(80, 1 << 15);
  return Array.from({ length: 1 << 13 }, (_, i) => {
    const word = Buffer.alloc(64);
    const length = i < 64 ? 1 : 1 + (next() % 3);
    return word.subarray(0, putWord(word, 0, length, next()));
  });
})();

/** Writes words until `end` is reached; returns their end. */
function putWords(block, at, end, next) {
  while (at < end) {
    const word = VOCABULARY[skewed(13, next())];
    for (let k = 0; k < word.length; k++) block[at + k] = word[k];
    at += word.length;
    block[at++] = SPACE;
  }
  return at;
}

/** Longer beginnings, of which one sentence in 64 has one. */
const REFRAINS = (() => {
  const next = drawn(81, 1 << 14);
  return Array.from({ length: 64 }, () => {
    const text = Buffer.alloc(256);
    return text.subarray(0, putWords(text, 0, 60 + (next() % 80), next));
  });
})();

/** Sentences, one a line, of 20 to 160 characters or somewhat more. */
function sentences() {
  const block = Buffer.alloc(BLOCK_BYTES);
  const random = new Uint32Array(1 << 18);
  return (state) => {
    state = fillWords(random, state, (bits) => bits >>> 0);
    let [drawnWords, at, lines] = [0, 0, 0];
    const next = () => random[drawnWords++];
    // A sentence draws fewer than 128 words and has fewer than 512 bytes.
    while (drawnWords < random.length - 128 && at < BLOCK_BYTES - 512) {
      const begin = at;
      const bits = next();
      const refrain = bits % 64 === 0 ? REFRAINS[skewed(6, next())] : undefined;
      if (refrain !== undefined) {
        block.set(refrain, at);
        at += refrain.length;
      }
      at = putWords(block, at, Math.max(at + 8, begin + 20 + ((bits >>> 6) % 150)), next);
      block[at - 1] = STOP;
      block[at++] = NEWLINE;
      lines++;
    }
    return { state, block: block.subarray(0, at), lineBytes: 0, lines };
  };
}

export const PROSE_KINDS = { wordlist: wordList, sentences };
