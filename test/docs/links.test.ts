/** Links and anchors are read as GitHub reads them. test/docs/paths.test.ts checks those of the documents. */
import { expect, it } from 'vitest';
import { anchorsIn, slugOf, targetsIn } from './links.js';

it.each([
  ['Sort a CSV file', 'sort-a-csv-file'],
  ['Files & pipes', 'files--pipes'],
  ['`--top N`, `-h`', '--top-n--h'],
  ['What is it? [a link](x.md#y)', 'what-is-it-a-link'],
  ['snake_case, Größe', 'snake_case-größe'],
])('the anchor of %s', (heading, slug) => {
  expect(slugOf(heading)).toBe(slug);
});

it('numbers headings of the same name, and ignores headings in code', () => {
  const text = '# One\n\n```sh\n# no heading\n```\n\n## One\n\n~~~\n# none\n~~~\n### One #\n<a name="place"></a>\n';
  expect(anchorsIn(text)).toEqual(['one', 'one-1', 'one-2', 'place']);
});

it('finds links of every form, and ignores links in code', () => {
  const text = [
    '[a](a.md) ![b](b.svg "title") [c](<c.md>) [d\nd](d.md#e) `[no](no.md)` ``[no](no.md)``',
    '<https://example.org/f> <img src="g.png"> [h]',
    '[h]: h.md',
    '```md',
    '[no](no.md)',
    '```',
  ].join('\n');
  expect(targetsIn(text).sort()).toEqual(['a.md', 'b.svg', 'c.md', 'd.md#e', 'g.png', 'h.md', 'https://example.org/f']);
});
