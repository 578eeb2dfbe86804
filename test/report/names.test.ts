/** Names in messages against GNU sort's, for every byte. */
import { spawnSync } from 'node:child_process';
import { afterEach, expect, it, vi } from 'vitest';
import { displayName, quoteName } from '../../src/report/names.js';
import { sampled } from '../support/tier.js';

afterEach(() => {
  vi.unstubAllEnvs();
});

/** How GNU sort shows `/nowhere/` + name in its message that the file cannot be read. */
function gnuName(name: Buffer, locale: string): string {
  const path = Buffer.concat([Buffer.from('/nowhere/'), name]);
  // Only a shell can pass on a name that is not UTF-8.
  const escaped = [...path].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
  const { stderr } = spawnSync('bash', ['--norc', '-c', `exec sort $'${escaped}'`], {
    env: { PATH: process.env.PATH, LC_ALL: locale },
  });
  return /^sort: cannot read: ([\s\S]*): No such file or directory\n$/.exec(stderr.toString())![1];
}

/** Bytes that are quoted alike: each punctuation character is a kind of its own. */
function kindOf(byte: number): string {
  const character = String.fromCharCode(byte);
  if (byte > 126) return 'above ASCII';
  if (byte < 32) return '\x07\b\f\n\r\t\v'.includes(character) ? `control ${byte}` : 'control';
  return /[a-zA-Z0-9]/.test(character) ? 'letter or digit' : character;
}
const BYTES = Array.from({ length: 255 }, (_, i) => i + 1).filter((byte) => byte !== 0x2f);

it('shows every byte in a name as GNU sort does', () => {
  vi.stubEnv('LC_ALL', 'C');
  for (const byte of sampled(BYTES, { count: BYTES.length, seed: 1, values: (byte) => [kindOf(byte)] })) {
    const name = Buffer.from([0x61, byte, 0x62]);
    expect(displayName(Buffer.concat([Buffer.from('/nowhere/'), name])), `byte ${byte}`).toBe(gnuName(name, 'C'));
  }
});

it.each(["'", "a'b c", "a'$", '\n\t', 'a\nb\n', 'é', 'a\u00a0b', 'x:y', '{}'])(
  'shows %j in both locales as GNU sort does',
  (text) => {
    for (const locale of ['C', 'C.UTF-8']) {
      vi.stubEnv('LC_ALL', locale);
      expect(displayName(Buffer.from(`/nowhere/${text}`))).toBe(gnuName(Buffer.from(text), locale));
    }
  },
);

it.each([
  [{ LC_ALL: 'C', LC_CTYPE: 'C.UTF-8', LANG: 'C.UTF-8' }, "'\\303\\251'"],
  [{ LC_ALL: '', LC_CTYPE: 'C', LANG: 'C.UTF-8' }, "'\\303\\251'"],
  [{ LC_ALL: '', LC_CTYPE: '', LANG: 'C.UTF-8' }, 'é'],
])('takes the locale from the first variable that is set: %j', (variables, shown) => {
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
  expect(displayName(Buffer.from('é')).replace("''$", '')).toBe(shown);
});

it.each<[string, string]>([
  ['#a', "'#a'"],
  ['~', "'~'"],
  ['a~#', 'a~#'],
  ['{', "'{'"],
  ['', "''"],
  ['-', '-'],
])('quotes %j only if a shell would need it', (text, quoted) => {
  expect(displayName(Buffer.from(text))).toBe(quoted);
});

it('shows standard input as a dash, and quotes a name if asked', () => {
  expect(displayName(null)).toBe('-');
  expect(quoteName(Buffer.from('b'))).toBe("'b'");
});
