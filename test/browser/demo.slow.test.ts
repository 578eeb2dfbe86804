/** The demo page: results, downloads, and messages when something is missing. */
import { readFileSync } from 'node:fs';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterEach, beforeAll, expect, it } from 'vitest';
import { describeBrowser, openSite, type Site, STEP_MS, TEST_MS } from './harness.js';

const ALL = ['radix', 'merge', 'quick', 'locality', 'segmented', 'path', 'cpu'];

/** Sets the number of keys, of runs, and the sorts. */
async function choose(page: Page, sorts: readonly string[], count?: number): Promise<void> {
  if (count !== undefined) await page.fill('[name=count]', String(count));
  await page.selectOption('[name=runs]', '1');
  for (const name of ALL) {
    const box = page.locator(`[name=sort][value=${name}]`);
    if (await box.isEnabled()) await box.setChecked(sorts.includes(name));
  }
}

function finished(page: Page): Promise<void> {
  return page.locator('#status', { hasText: /^Done$/ }).waitFor();
}

/** Starts the sorts and waits for their end; returns the rows' sorts and results. */
async function sort(page: Page): Promise<string[]> {
  await page.click('#start');
  await finished(page);
  const rows = await page.locator('#rows tr').all();
  return Promise.all(
    rows.map(async (row) => `${await row.getAttribute('data-sort')} ${await row.locator('td').last().textContent()}`),
  );
}

async function download(page: Page): Promise<{ name: string; bytes: Buffer }> {
  const [started] = await Promise.all([page.waitForEvent('download'), page.click('#download')]);
  return { name: started.suggestedFilename(), bytes: readFileSync(await started.path()) };
}

/** Drops a file on the page. */
async function drop(page: Page, name: string, bytes: Buffer): Promise<void> {
  const transfer = await page.evaluateHandle(
    `(() => {
      const transfer = new DataTransfer();
      const bytes = Uint8Array.from(atob('${bytes.toString('base64')}'), (letter) => letter.charCodeAt(0));
      transfer.items.add(new File([bytes], '${name}'));
      return transfer;
    })()`,
  );
  await page.dispatchEvent('body', 'drop', { dataTransfer: transfer });
}

/** How a page differs from the usual one. */
interface Changes {
  /** Runs in the page before its own scripts. */
  readonly script?: string;
  /** The text of a script that replaces one of the page. */
  readonly replaced?: readonly [file: string, text: string];
  /** The condition to wait for. */
  readonly until?: string;
}

describeBrowser('the demo page', { timeout: TEST_MS }, () => {
  let site: Site;
  let problems: string[] = [];
  beforeAll(async () => {
    site = await openSite();
  }, STEP_MS);
  afterEach(() => {
    expect(problems).toEqual([]);
  });

  async function openDemo(changes: Changes = {}, options?: BrowserContextOptions): Promise<Page> {
    const test = await site.open(options);
    problems = test.problems;
    const { script, replaced, until = '#start:enabled' } = changes;
    if (script !== undefined) await test.page.addInitScript(script);
    if (replaced !== undefined)
      await test.page.route(replaced[0], (route) =>
        route.fulfill({ body: replaced[1], contentType: 'text/javascript' }),
      );
    await test.page.goto(test.address);
    await test.page.waitForSelector(until);
    return test.page;
  }

  it('sorts generated keys, and shows rates and the timeline', async () => {
    const page = await openDemo();
    expect(await page.textContent('#gpu-name')).toMatch(/swiftshader/i);
    expect(await page.isVisible('#gpu-software')).toBe(true);
    await choose(page, ['radix', 'segmented', 'path', 'cpu'], 3000);
    await page.selectOption('[name=type]', 'f32');
    await page.selectOption('[name=kind]', 'zipf');
    expect(await sort(page)).toEqual(['radix verified', 'segmented verified', 'path verified', 'cpu reference']);
    expect(await page.textContent('#summary')).toBe('3,000 keys: Zipf (few keys are most), f32.');
    for (const rate of await page.locator('#rows .rate').allInnerTexts())
      expect(rate).toMatch(/^(?:[\d.,]+|too short to time)$/);
    expect(await page.locator('#timeline rect.upload').count()).toBe(3);
    expect(await page.locator('#timeline rect.sort').count()).toBeGreaterThanOrEqual(3);
    expect(await page.locator('#timeline rect.cpu').count()).toBe(1);
    const { name, bytes } = await download(page);
    const sorted = new Float32Array(bytes.buffer, bytes.byteOffset, 3000);
    expect(name).toBe('sorted.f32');
    expect(sorted.every((key, i) => i === 0 || sorted[i - 1]! <= key)).toBe(true);
    expect(new Set(sorted).size).toBeGreaterThan(500);
  });

  it('sorts the lines of a dropped file by all their bytes', async () => {
    const page = await openDemo();
    const lines = Array.from({ length: 700 }, (_, i) => `${'shared prefix'.slice(0, i % 14)}${(i * 7919) % 101}`);
    const text = Buffer.from(`${lines.join('\n')}\n\n\0\nÄ\r\nlast, without newline`);
    await drop(page, 'notes.txt', text);
    expect(await page.isVisible('#file')).toBe(true);
    expect(await page.isDisabled('[name=sort][value=segmented]')).toBe(true);
    await choose(page, ['merge']);
    const [row] = await sort(page);
    expect(row).toMatch(/^merge verified\d+ lines tied$/);
    const expected = text
      .toString('latin1')
      .split('\n')
      .sort()
      .map((line) => `${line}\n`);
    const { name, bytes } = await download(page);
    expect([name, bytes.toString('latin1')]).toEqual(['sorted-notes.txt', expected.join('')]);
  });

  it('sorts a chosen file of 64-bit keys by the keyboard alone', async () => {
    const page = await openDemo();
    const keys = BigUint64Array.from({ length: 999 }, (_, i) => (BigInt(i) * 0x9e3779b97f4a7c15n) & (2n ** 64n - 1n));
    await page.focus('[name=source]');
    await page.keyboard.press('ArrowRight');
    await page.setInputFiles('[name=file]', { name: 'keys.u64', mimeType: '', buffer: Buffer.from(keys.buffer) });
    expect(await page.inputValue('[name=contents]')).toBe('u64');
    await choose(page, ['locality']);
    await page.focus('#start');
    await page.keyboard.press('Enter');
    await finished(page);
    // The button was disabled in the meantime.
    expect(await page.evaluate('document.activeElement.id')).toBe('start');
    const { bytes } = await download(page);
    expect(bytes).toEqual(Buffer.from(keys.sort().buffer));
  });

  it('sorts one key, and one line, however coarse the clock', async () => {
    const page = await openDemo({ script: 'performance.now = () => 1000' });
    await choose(page, ['cpu'], 1);
    expect(await sort(page)).toEqual(['cpu reference']);
    await drop(page, 'one.txt', Buffer.from('one line'));
    await choose(page, ['merge']);
    expect(await sort(page)).toEqual(['merge verified']);
    expect((await download(page)).bytes.toString()).toBe('one line\n');
  });

  it.each([
    [
      'memory for the keys',
      '**/generate.js',
      'export const KINDS = { uniform: 1 }; export const randomWords = null; export const generateKeys = () => new Uint32Array(-1);',
      /^This browser has too little memory: /,
    ],
    ['a worker', '**/cpu.js', 'throw new Error("no worker")', /^The worker failed: .*Reload this page\.$/],
  ])('reports the lack of %s', async (_, file, body, sentence) => {
    const page = await openDemo({ replaced: [file, body] });
    await choose(page, ['radix'], 1000);
    await page.click('#start');
    await page.locator('#problem', { hasText: sentence }).waitFor();
    expect(await page.isEnabled('#start')).toBe(true);
    // The page reports the errors on the console, too.
    problems = [];
  });

  it('explains in a sentence why it refuses a request', async () => {
    const page = await openDemo();
    const problem = async (): Promise<string | null> => {
      await page.click('#start');
      await page.waitForSelector('#problem:visible');
      return page.textContent('#problem');
    };
    await choose(page, []);
    expect(await problem()).toBe('Choose at least one sort.');
    await choose(page, ['radix']);
    await page.check('[name=source][value=file]');
    expect(await problem()).toBe('Choose a file first, or drop one on the page.');
    await drop(page, 'odd.u32', Buffer.alloc(7));
    expect(await problem()).toBe('odd.u32 has 7 bytes, which is no multiple of 4: choose another type.');
    await drop(page, 'none.txt', Buffer.alloc(0));
    expect(await problem()).toBe('none.txt is empty.');
  });

  it.each([
    ['a browser without WebGPU', 'delete Navigator.prototype.gpu', /^This browser has no WebGPU: /],
    ['a browser without a GPU', 'navigator.gpu.requestAdapter = async () => null', /offers no GPU: /],
  ])('reports that WebGPU is missing: %s', async (_, script, sentence) => {
    const page = await openDemo({ script, until: '#problem:visible' });
    expect(await page.textContent('#problem')).toMatch(sentence);
    expect(await page.isDisabled('#start')).toBe(true);
  });

  it('sorts on the smallest device, and reports too many keys and a lost GPU', async () => {
    // A device with the default limits and without timestamps.
    const script = `
        const request = GPUAdapter.prototype.requestDevice;
        GPUAdapter.prototype.requestDevice = async function () { return (window.opened = await request.call(this)); };`;
    const page = await openDemo({ script });
    await choose(page, ['path'], 1000);
    expect(await sort(page)).toEqual(['path verified']);
    expect(await page.textContent('#timing')).toContain('This GPU has no timestamps');
    await choose(page, ['path'], 2 ** 24 + 1);
    await page.selectOption('[name=type]', 'u64');
    await page.click('#start');
    await page.waitForSelector('#problem:visible');
    expect(await page.textContent('#problem')).toBe(
      'Merge path takes at most 16,777,216 keys of type u64 on this GPU: choose fewer.',
    );
    await page.evaluate('opened.destroy()');
    await page.locator('#problem', { hasText: /^The GPU was lost/ }).waitFor();
    expect(await page.isDisabled('#start')).toBe(true);
  });

  it('reports a wrong result', async () => {
    // A library whose sorts leave keys as they are.
    const names = ['localitySort', 'mergePath', 'mergeSort', 'quicksort', 'radixSort', 'segmentedSort'];
    const body = `const idle = async () => ({ maxCount: 2 ** 20, time: async () => [], destroy() {} });
        export { ${names.map((name) => `idle as ${name}`).join(', ')} };
        export class GpusortError extends Error {}`;
    const page = await openDemo({ replaced: ['**/kernels.js', body] });
    for (const [name, label] of Object.entries({ merge: 'Merge sort', segmented: 'Segmented sort' })) {
      await choose(page, [name], 1000);
      await page.click('#start');
      await page
        .locator('#problem', { hasText: `${label} gave a wrong result on this GPU, first at number 0` })
        .waitFor();
      expect(await page.isVisible('#results')).toBe(false);
    }
  });

  it('stops on request', async () => {
    const page = await openDemo();
    // Enough keys to keep the first sort running until the button is pressed.
    await choose(page, ['path', 'quick'], 100_000);
    await page.selectOption('[name=runs]', '9');
    await page.click('#start');
    await page.click('#stop');
    expect(await page.textContent('#status')).toMatch(/^Stopp(?:ing after this step|ed)$/);
    await page.locator('#status', { hasText: /^Stopped$/ }).waitFor();
    expect(await page.isEnabled('#start')).toBe(true);
    expect(await page.isVisible('[data-sort=quick]')).toBe(false);
  });

  it('fits a phone', async () => {
    const page = await openDemo({}, { viewport: { width: 360, height: 740 }, colorScheme: 'dark' });
    await choose(page, ['quick', 'cpu'], 1000);
    expect(await sort(page)).toEqual(['quick verified', 'cpu reference']);
    await page.click('summary');
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
  });
});
