/** The kernel benchmark hands its inputs to CUB. Slow, because a software GPU compiles the kernels of four sorts. */
import { spawnSync } from 'node:child_process';
import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { freshDirectory } from '../battery/runner.js';
import { describeGpu } from '../setup/gpu.js';

const ROOT = join(import.meta.dirname, '../..');
const folder = freshDirectory('cub');

/** A stand-in for cub.cu: keeps its arguments and input. It cannot sort segments, and nothing twice. */
const STAND_IN = `#!${process.execPath}
const { readFileSync, writeFileSync } = require('node:fs');
const words = process.argv.slice(2);
if (words[0] === 'segmented') { console.error('error: no such sort'); process.exit(1); }
writeFileSync(${JSON.stringify(folder)} + '/' + words.join(' '), readFileSync(0), { flag: 'wx' });
console.log(JSON.stringify({ card: 'a card', cuda: '13.0', cub: '3.0.1', times: [2, 1, 4] }));
`;

describeGpu('on the device', () => {
  it('gives CUB the input of each problem once', { timeout: 120_000 }, () => {
    const program = join(folder, 'stand-in');
    writeFileSync(program, STAND_IN);
    chmodSync(program, 0o755);
    const json = join(folder, 'rows.json');
    const { status, stderr } = spawnSync(
      process.execPath,
      [
        ...[join(ROOT, 'tools/bench/kernels.mjs'), '--cub', program, '--json', json, '--sizes', '10', '--runs', '3'],
        ...['--only', 'segmented-sort,merge-path-wide,radix-refine,msd-radix'],
        ...['--cases', 'u64 pairs segments of 32,u32 pairs unequal runs,strings words'],
      ],
      { encoding: 'utf8', timeout: 110_000 },
    );
    expect(status, stderr).toBe(0);
    const rows = JSON.parse(readFileSync(json, 'utf8')).rows as { algorithm: string; peers: object[] }[];
    const own = (name: string): object[] => rows.find(({ algorithm }) => algorithm === name)!.peers;
    expect(own('segmented-sort')).toEqual([{ peer: 'CUB segmented sort', error: 'error: no such sort' }]);
    const peers = own('merge-path-wide');
    expect(peers).toEqual([
      expect.objectContaining({ peer: 'CUB merge', times: [2, 1, 4], rate: 0.512, version: '3.0.1' }),
    ]);
    expect(peers[0]).toMatchObject({ machine: expect.stringMatching(/^a card, driver .+, CUDA 13\.0$/) });
    // Both sorts of strings stand beside the same figures.
    expect(own('radix-refine')).toMatchObject([{ peer: 'CUB radix sort with refinement', times: [2, 1, 4] }]);
    expect(own('radix-refine')).toEqual(own('msd-radix'));

    // 1,024 keys, then begins of segments, of all 1,024 keys for a merge, whose second run has 1/128 of them.
    const sent = readFileSync(join(folder, 'merge u32-pairs 1024 1016 3'));
    expect(sent.length).toBe(4 * 1024 + 8);
    const words = new Uint32Array(sent.buffer, sent.byteOffset, 1026);
    const runs = [words.slice(0, 1016), words.slice(1016, 1024)];
    for (const run of runs) expect([...run]).toEqual([...run].sort((a, b) => a - b));
    expect([...words.slice(1024)]).toEqual([0, 1024]);
    const name = readdirSync(folder).find((one) => one.startsWith('refine text 1024 '))!;
    const text = readFileSync(join(folder, name));
    const starts = new Uint32Array(new Uint8Array(text.subarray(-4 * 1025)).buffer);
    expect([...starts].slice(0, 1024).map((at) => at === 0 || text[at - 1] === 10)).not.toContain(false);
    expect(starts[1024]).toBe(text.length - 4 * 1025);
    expect(name).toBe(`refine text 1024 ${starts[1024]} 3`);
  });
});
