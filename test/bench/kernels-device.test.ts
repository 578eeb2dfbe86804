/** The kernel benchmark on the device: its inputs, its checks, which must find faults, and a run on a small problem. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { KEY_TYPES, permuted, sortedOrder, specsOf } from '../gpu/keys/key-sorts.js';
import { describeGpu } from '../setup/gpu.js';
import { NIGHTLY } from '../support/tier.js';

// Plain JavaScript that imports built modules: loaded only if there is a GPU.
const load = async (name: string): Promise<any> => import(`./kernels/${name}.mjs`);
const temporary = process.env.GPUSORT_TEST_TMP ?? '/tmp';

describeGpu('on the device', () => {
  let gpu: any;
  let device: any;
  let keys: any;
  let strings: any;
  beforeAll(async () => {
    [device, keys, strings] = await Promise.all(['device', 'keys', 'strings'].map(load));
    gpu = await device.openGpu(await device.requestAdapter());
  });
  afterAll(async () => {
    await gpu?.noteErrors();
    expect(gpu?.lostReason()).toBeUndefined();
    gpu?.close();
  });

  const words = (buffer: any, count: number): Promise<Uint32Array> => device.readWords(gpu, buffer, count);
  const write = (buffer: any, data: Uint32Array): void => gpu.device.queue.writeBuffer(buffer, 0, data);
  const u32 = { type: 'u32', values: true } as const;

  it('makes each distribution of keys', async () => {
    const made: Record<string, Uint32Array> = {};
    const all = [
      'uniform',
      'zero',
      'sorted',
      'reversed',
      'sixteen',
      'zipf',
      'organPipe',
      'near16',
      'near256',
      'twoValues',
      'runs',
      'unequalRuns',
      'bucket',
      'gaussian',
      'staggered',
    ];
    for (const distribution of all) {
      const input = await keys.makeKeyInput(gpu, { spec: u32, distribution }, 12);
      made[distribution] = await words(input.given.keys, 4096);
      expect(await words(input.given.values, 4096)).toEqual(Uint32Array.from({ length: 4096 }, (_, i) => i));
      input.end();
    }
    const ascends = (list: Uint32Array): boolean => list.every((key, i) => i === 0 || list[i - 1] <= key);
    const home = (list: Uint32Array): number =>
      Math.max(...sortedOrder(u32, list).map((from, to) => Math.abs(from - to)));
    const values = (name: string): number => new Set(made[name]).size;
    const mean = (name: string): number => made[name].reduce((sum, key) => sum + key / 4096, 0) / 2 ** 32;
    expect(ascends(made.sorted!)).toBe(true);
    expect(ascends(made.reversed!.slice().reverse())).toBe(true);
    expect(ascends(made.organPipe!.slice(0, 2048)) && ascends(made.organPipe!.slice(2048).reverse())).toBe(true);
    expect(ascends(made.runs!.slice(0, 2048)) && ascends(made.runs!.slice(2048))).toBe(true);
    const second = 4096 - 32;
    expect(ascends(made.unequalRuns!.slice(0, second)) && ascends(made.unequalRuns!.slice(second))).toBe(true);
    for (const name of ['organPipe', 'runs', 'unequalRuns', 'uniform', 'near16'])
      expect(ascends(made[name]), name).toBe(false);
    expect([home(made.near16!) < 16, home(made.near256!) < 256, home(made.near256!) > 100]).toEqual([true, true, true]);
    expect([values('zero'), values('sixteen'), values('twoValues')]).toEqual([1, 16, 2]);
    expect(values('uniform')).toBeGreaterThan(4090);
    expect(values('zipf')).toBeGreaterThan(300);
    expect(values('zipf')).toBeLessThan(2000);
    for (const name of ['uniform', 'gaussian', 'sorted', 'bucket', 'staggered', 'twoValues'])
      expect(Math.abs(mean(name) - 0.5), name).toBeLessThan(0.03);
    // All sixteen parts of bucket and staggered occur, equally often.
    for (const name of ['bucket', 'staggered']) {
      const parts = Array.from({ length: 16 }, (_, part) => made[name].filter((key) => key >>> 28 === part).length);
      expect(parts, name).toEqual(parts.map(() => 256));
    }
  });

  it('makes keys of all types in the order of the distribution, and accepts a correct sort of each', async () => {
    // One of the two specs of each type.
    for (const [i, type] of KEY_TYPES.entries()) {
      const spec = specsOf([type])[i % 2];
      for (const distribution of ['sorted', 'zipf']) {
        const input = await keys.makeKeyInput(gpu, { spec, distribution }, 8);
        const given = await words(input.given.keys, input.given.keys.size / 4);
        const order = sortedOrder(spec, given);
        if (distribution === 'sorted') expect(order).toEqual(Uint32Array.from({ length: 256 }, (_, i) => i));
        write(input.spare.keys, permuted(spec, given, order));
        if (spec.values) write(input.spare.values, order);
        expect(await input.check(input.spare)).toBeNull();
        input.end();
      }
    }
  });

  it('restores the arrays of keys and values', async () => {
    const input = await keys.makeKeyInput(gpu, { spec: u32, distribution: 'uniform' }, 8);
    write(input.from.keys, new Uint32Array(256));
    write(input.from.values, new Uint32Array(256));
    input.restore();
    for (const what of ['keys', 'values'])
      expect(await words(input.from[what], 256)).toEqual(await words(input.given[what], 256));
    input.end();
  });

  it('finds each fault in sorted keys', async () => {
    for (const [values, mean] of [
      [true, null],
      [false, null],
      [true, 16],
      [false, 16],
    ] as const) {
      const spec = { ...u32, values };
      const input = await keys.makeKeyInput(gpu, { spec, distribution: 'sixteen', mean }, 9);
      const given = await words(input.given.keys, 512);
      const begins: Uint32Array = input.hostBegins;
      expect([begins[0], begins.at(-1), input.segments]).toEqual([0, 512, begins.length - 1]);
      const order = Array.from(begins.subarray(1)).flatMap((end, s) =>
        [...sortedOrder(spec, given.subarray(begins[s], end))].map((i) => i + begins[s]),
      );
      const verdict = async (change: (order: number[], keys: Uint32Array) => void): Promise<string | null> => {
        const changed = order.slice();
        const sorted = permuted(spec, given, Uint32Array.from(changed));
        change(changed, sorted);
        write(input.spare.keys, sorted);
        if (values) write(input.spare.values, Uint32Array.from(changed));
        return input.check(input.spare);
      };
      const swap = (list: { [i: number]: number }, i: number, k: number): void => {
        [list[i], list[k]] = [list[k], list[i]];
      };
      expect(
        await verdict(() => {
          /* no fault */
        }),
      ).toBeNull();
      const first = [...order.keys()].find(
        (i) => i > 300 && !begins.includes(i) && given[order[i]] !== given[order[i - 1]],
      )!;
      expect(
        await verdict((o, k) => {
          swap(o, first, first - 1);
          swap(k, first, first - 1);
        }),
      ).toContain('out of order');
      expect(
        await verdict((o, k) => {
          o[first] = o[first - 1];
          k[first] = k[first - 1];
        }),
      ).not.toBeNull();
      if (!values) {
        expect(
          await verdict((_, k) => {
            k[first] = k[first - 1];
          }),
        ).toBe('other keys than those given');
        continue;
      }
      const equal = [...order.keys()].find(
        (i) => i > 0 && !begins.includes(i) && given[order[i]] === given[order[i - 1]],
      )!;
      expect(
        await verdict((o) => {
          swap(o, equal, equal - 1);
        }),
      ).toContain('out of order');
      expect(
        await verdict((o) => {
          o[511] = 512;
        }),
      ).toContain('values not those of their keys');
      expect(
        await verdict((o) => {
          swap(o, first, first - 1);
        }),
      ).not.toBeNull();
    }
  });

  it('finds keys that are in order but belong to another segment', async () => {
    for (const values of [true, false]) {
      const input = await keys.makeKeyInput(gpu, { spec: { ...u32, values }, distribution: 'sorted', mean: 16 }, 9);
      input.restore();
      expect(await input.check(input.from)).toBeNull();
      const begin: number = [...input.hostBegins].find(
        (at: number, s: number) => at > 100 && at < input.hostBegins[s + 1],
      );
      for (const what of values ? ['keys', 'values'] : ['keys']) {
        const list = await words(input.given[what], 512);
        [list[begin], list[begin - 1]] = [list[begin - 1], list[begin]];
        write(input.from[what], list);
      }
      expect(await input.check(input.from)).toBe(
        values ? '2 of 512 values not those of their keys' : 'other keys than those given',
      );
      input.end();
    }
  });

  it('takes as many strings as a binding holds, if these are more than half', () => {
    const most = 2 ** 31 - 4;
    expect(strings.stringCount(most, 'urls', 25)).toBe(2 ** 25);
    expect(strings.stringCount(most, 'dna100', 25)).toBe(21_262_000);
    expect(strings.stringCount(most, 'dna100', 26)).toBeNull();
  });

  it('makes each input of strings, and finds each fault in their order', async () => {
    for (const input of Object.keys(strings.INPUTS)) {
      // DNA is sent in more than one piece.
      const size = input === 'dna100' ? 16 : 10;
      const made = await strings.makeStringInput(gpu, { input }, size);
      const { n, textBytes, records } = made;
      expect(n).toBe(2 ** size);
      const text = Buffer.from((await words(records.text, Math.ceil(textBytes / 4))).buffer).subarray(0, textBytes);
      const lines = text.toString('latin1').split('\n');
      expect([lines.length - 1, lines.pop()], input).toEqual([n, '']);
      expect(Math.abs(textBytes / n - 1 - strings.INPUTS[input].mean), input).toBeLessThan(2);
      const starts = [0];
      for (const line of lines) starts.push(starts.at(-1)! + line.length + 1);
      expect(await words(records.starts, n + 1), input).toEqual(Uint32Array.from(starts));
      if (input === 'distinct') expect(new Set(lines).size).toBe(n);
      if (input === 'equal') expect(new Set(lines).size).toBe(1);
      const order = Uint32Array.from(lines.keys()).sort((a, b) =>
        lines[a] < lines[b] ? -1 : lines[a] > lines[b] ? 1 : a - b,
      );
      const buffer = await device.allocate(gpu, 4 * n, 'order');
      const verdict = async (change: (order: Uint32Array) => void): Promise<string | null> => {
        const changed = order.slice();
        change(changed);
        write(buffer, changed);
        return made.check({ order: buffer, count: n });
      };
      expect(
        await verdict(() => {
          /* no fault */
        }),
        input,
      ).toBeNull();
      for (const i of [1, 500, n - 1])
        expect(
          await verdict((o) => {
            [o[i], o[i - 1]] = [o[i - 1], o[i]];
          }),
          input,
        ).toContain('out of order');
      expect(
        await verdict((o) => {
          o[7] = o[8];
        }),
        input,
      ).toContain('out of order');
      expect(
        await verdict((o) => {
          o[7] = n;
        }),
        input,
      ).toContain('do not exist');
      expect(await made.check({ order: buffer, count: n - 1 })).toContain(`${n - 1} of ${n}`);
      buffer.destroy();
      made.end();
    }
  });

  it('measures a small problem from end to end', () => {
    const [script, file] = [join(import.meta.dirname, 'kernels.mjs'), join(temporary, 'kernels.json')];
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [script, '--sizes', '12', '--cases', 'words', '--only', 'string-merge', '--runs', '3', '--json', file],
      { encoding: 'utf8', timeout: 100_000 },
    );
    expect([status, stderr.split('\n').length], stderr).toEqual([0, 3]);
    expect(stdout).toContain('| strings words | 2^12 |');
    const { rows } = JSON.parse(readFileSync(file, 'utf8'));
    expect(rows).toHaveLength(1);
    expect(rows[0]).toMatchObject({
      algorithm: 'string-merge',
      case: 'strings words',
      size: 12,
      n: 4096,
      launches: { 'strings/string-merge/prefix': 1, 'strings/string-merge/block-sort': 1 },
    });
    expect(rows[0].spanMs).toBeGreaterThan(0);
    expect(rows[0].busyMs).toBeLessThanOrEqual(rows[0].spanMs);
    expect(rows[0].wallMs).toBeGreaterThan(0);
  });

  it('measures the stages of a small text', () => {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [join(import.meta.dirname, 'stages.mjs'), '0.0625', '1'],
      {
        encoding: 'utf8',
        timeout: 100_000,
      },
    );
    expect([status, stderr]).toEqual([0, '']);
    // Four stages for each of six lengths of records.
    expect(stdout.match(/ms +\d+ GB\/s/g)).toHaveLength(24);
  });

  it.runIf(NIGHTLY)('measures all ways to sort the remainder of the MSD radix sort', () => {
    const script = join(import.meta.dirname, 'kernels.mjs');
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [script, '--sizes', '12', '--cases', 'urls', '--only', 'msd-radix,msd-radix-hybrid', '--runs', '1'],
      { encoding: 'utf8', timeout: 100_000 },
    );
    expect([status, stderr.split('\n').length], stderr).toEqual([0, 5]);
    // Most URLs are tied. 12 bytes of each are sent, and 4 are read back.
    expect(stdout).toMatch(
      /\| strings urls \| 2\^12 \| 2\d\d kB \| [1-4],\d{3} \| .* ms, .* M\/s \| .* ms, .* M\/s \| 49\.2 kB \| 16\.4 kB \|/,
    );
  });
});
