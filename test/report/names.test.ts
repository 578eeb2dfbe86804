/** Names in messages against GNU sort's, for every byte. */
import { spawnSync } from 'node:child_process';
import { afterEach, expect, it, vi } from 'vitest';
import { displayName, quoteName } from '../../src/report/names.js';

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

it('every byte', () => {
  vi.stubEnv('LC_ALL', 'C');
  for (let byte = 1; byte < 256; byte++) {
    const name = Buffer.from([0x61, byte, 0x62]);
    if (byte !== 0x2f)
      expect(displayName(Buffer.concat([Buffer.from('/nowhere/'), name])), `byte ${byte}`).toBe(gnuName(name, 'C'));
  }
});

it.each(["'", "a'b c", "a'$", '\n\t', 'a\nb\n', 'é', 'a\u00a0b', 'x:y', '{}'])('%j in both locales', (text) => {
  for (const locale of ['C', 'C.UTF-8']) {
    vi.stubEnv('LC_ALL', locale);
    expect(displayName(Buffer.from(`/nowhere/${text}`))).toBe(gnuName(Buffer.from(text), locale));
  }
});

it.each<[string, string]>([
  ['#a', "'#a'"],
  ['~', "'~'"],
  ['a~#', 'a~#'],
  ['{', "'{'"],
  ['', "''"],
  ['-', '-'],
])('%j alone', (text, quoted) => {
  expect(displayName(Buffer.from(text))).toBe(quoted);
});

it('standard input is a dash, and a name that must be quoted is', () => {
  expect(displayName(null)).toBe('-');
  expect(quoteName(Buffer.from('b'))).toBe("'b'");
});
