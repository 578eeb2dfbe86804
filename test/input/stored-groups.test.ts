/** Groups of stored records: whole blocks or lines, which the stretch holds, and what may be left at its end. */
import { describe, expect, it } from 'vitest';
import { Declined } from '../../src/contract/engine.js';
import { BlockGroups, type GroupCutter, LineGroups } from '../../src/input/stored-groups.js';
import { BGZF_END, bgzf } from '../support/genomics-bam.js';

/** The ends of all groups in [at, end) of a stretch, and the bytes of their text. */
function groupsIn(cutter: GroupCutter, stretch: Buffer, at = 0, end = stretch.length): [to: number, text: number][] {
  const groups: [number, number][] = [];
  for (let group = cutter.next(stretch, at, end); group !== null; group = cutter.next(stretch, at, end)) {
    expect(group.to).toBeGreaterThan(at);
    groups.push([(at = group.to), group.text]);
  }
  return groups;
}

describe('groups of blocks', () => {
  const block = (bytes: number): Buffer => bgzf(Buffer.alloc(bytes, 'x')).subarray(0, -BGZF_END.length);
  const [short, long] = [block(10), block(20)];
  const file = Buffer.concat([short, short, long, short, BGZF_END]);

  it('have as many blocks as their text allows', () => {
    const [a, b] = [short.length, long.length];
    const last = file.length - BGZF_END.length;
    const ends = (most: number): number[] => groupsIn(new BlockGroups(most), file).map(([to]) => to);
    expect([ends(20), ends(39)]).toEqual([
      [2 * a, 2 * a + b, file.length],
      [2 * a, file.length],
    ]);
    expect([ends(40), ends(50)]).toEqual([[2 * a + b, file.length], [file.length]]);
    expect(groupsIn(new BlockGroups(50), file)).toEqual([[file.length, 50]]);
    expect(groupsIn(new BlockGroups(40), file, a, last - 1)).toEqual([[2 * a + b, 30]]);
    const growing = new BlockGroups(20);
    growing.groupBytes = 50;
    expect(groupsIn(growing, file)).toHaveLength(1);
    expect(growing.mostRest).toBe(new BlockGroups(50).mostRest);
  });

  it('may end a file only after an empty block', () => {
    const cutter = new BlockGroups(1000);
    expect([cutter.mayEnd, cutter.looksOn, cutter.lastBytes]).toEqual([false, true, null]);
    groupsIn(cutter, file);
    expect(cutter.mayEnd).toBe(true);
    groupsIn(cutter, file, 0, file.length - 1);
    expect(cutter.mayEnd).toBe(false);
    groupsIn(cutter, BGZF_END);
    expect(cutter.mayEnd).toBe(true);
  });

  it('are declined if bytes are no blocks', () => {
    expect(groupsIn(new BlockGroups(100), Buffer.concat([file, BGZF_END.subarray(0, -1)]))).toHaveLength(1);
    expect(() => groupsIn(new BlockGroups(100), Buffer.concat([file, Buffer.from('text')]))).toThrow(Declined);
    // A block whose text is longer than a group, with as many bytes after it as any block may have.
    const far = Buffer.concat([long, Buffer.alloc((1 << 16) - long.length)]);
    expect(groupsIn(new BlockGroups(19), far)).toEqual([]);
    expect(() => groupsIn(new BlockGroups(19), Buffer.concat([far, Buffer.of(0)]))).toThrow(Declined);
  });
});

describe('groups of lines', () => {
  const text = Buffer.from('ab\ncd\n\nlonger\nx');

  it('have as many lines as they may have bytes, or one longer line', () => {
    const ends = (most: number): string => groupsIn(new LineGroups(most, 50), text).join(' ');
    expect([ends(1), ends(5)]).toEqual(['3,3 6,3 7,1 14,7', '3,3 7,4 14,7']);
    expect([ends(6), ends(7), ends(100)]).toEqual(['6,6 7,1 14,7', '7,7 14,7', '14,14']);
    expect(groupsIn(new LineGroups(3, 50), text, 3, 13).join(' ')).toBe('6,3 7,1');
    expect(groupsIn(new LineGroups(3, 50), text, 3, 3)).toEqual([]);
    const { mayEnd, looksOn, lastBytes } = new LineGroups(3, 50);
    expect([mayEnd, looksOn, lastBytes]).toEqual([true, false, Uint8Array.of(10)]);
  });

  it('are declined if a line is too long, whether or not it has ended', () => {
    expect(groupsIn(new LineGroups(1, 7), text)).toHaveLength(4);
    expect(() => groupsIn(new LineGroups(1, 6), text)).toThrow('a line is too long');
    expect(groupsIn(new LineGroups(1, 6), text, 7, 13)).toEqual([]);
    expect(() => groupsIn(new LineGroups(1, 5), text, 7, 13)).toThrow(Declined);
  });
});
