/**
 * GFF by position: of records with equal contigs and starts, writes parents before their children. The keys cannot do
 * that, because `Parent` of one record names the `ID` of another. Records of one start follow each other in the ordered
 * stream, so one group of them is held at a time. A kernel looks for groups in which a child may come before its parent
 * (kernels/wasm/keys/records/parents.ts); the others are passed on as they are.
 */
import type { BlockWriter } from '../contract/engine.js';
import type { Genomics } from '../job/job.js';
import type { Ordering } from '../job/ordering.js';
import { compileKeyKernels, openKeyKernels } from '../keys/key-maker.js';
import { recordFinder } from '../records/record-finder.js';
import { WholeRecords } from '../records/whole-records.js';
import { growTo, KERNEL_SLACK, newMemory } from '../system/memory.js';
import { rest } from '../system/promises.js';
import { type Filter, oneByOne } from './filter.js';

/** The bytes of the largest group that is put in order. */
const MOST_BYTES = 16 << 20;
const NEWLINE = 10;
const TABLE_ALIGNMENT = 8;

/** Whether a job writes parents before their children. Not with -u: only one record has each start. */
export function hasParents(genomics: Genomics | null, { reverse, unique }: Ordering): boolean {
  return genomics?.format === 'gff' && genomics.by === 'position' && !reverse && !unique;
}

/**
 * The filter. `mostBytes`: a larger group is written in parts, and a parent may come in a later part than its child.
 */
export function parentsFirst(write: BlockWriter, mostBytes = MOST_BYTES): Filter {
  return oneByOne(new ParentsFirst(write, mostBytes));
}

interface ParentKernels {
  firstFree(): number;
  parentTableBytes(): number;
  findLateParent(at: number, end: number, isAll: number, table: number): number;
  groupBegin(): number;
}

class ParentsFirst {
  private readonly write: BlockWriter;
  private readonly mostBytes: number;
  private readonly lines = new WholeRecords(recordFinder({ kind: 'lines', delimiter: NEWLINE }));
  private readonly memory = newMemory();
  private readonly kernels = openKeyKernels<ParentKernels>(compileKeyKernels(), this.memory);
  /** Addresses in the kernels' memory. */
  private readonly table: number;
  private readonly text: number;
  /** The last group so far, which may continue; empty: the next record begins one. */
  private held: Buffer = Buffer.alloc(0);

  constructor(write: BlockWriter, mostBytes: number) {
    this.write = write;
    this.mostBytes = mostBytes;
    this.table = Math.ceil(this.kernels.firstFree() / TABLE_ALIGNMENT) * TABLE_ALIGNMENT;
    this.text = this.table + this.kernels.parentTableBytes();
  }

  async take(block: Uint8Array): Promise<void> {
    for (const lines of this.lines.texts(block)) {
      const text = this.held.length === 0 ? lines : Buffer.concat([this.held, lines]);
      const { ordered, last } = this.inOrder(text, { isAll: false });
      // A group that is too large is passed on in parts.
      const end = text.length - last > this.mostBytes ? text.length : last;
      this.held = Buffer.from(text.subarray(end));
      if (end > 0) await this.write(ordered.subarray(0, end));
      await rest();
    }
  }

  async finish(): Promise<void> {
    if (this.held.length > 0) await this.write(this.inOrder(this.held, { isAll: true }).ordered);
  }

  /**
   * Whole lines with their groups in order: the text itself, or a copy. The last group begins at `last`; it is in order
   * only if `isAll`.
   */
  private inOrder(text: Buffer, { isAll }: { readonly isAll: boolean }): { ordered: Buffer; last: number } {
    const { kernels, memory } = this;
    const begin = this.text;
    const end = begin + text.length;
    growTo(memory, end + KERNEL_SLACK);
    new Uint8Array(memory.buffer).set(text, begin);
    let ordered = text;
    for (let at = begin; ; ) {
      at = kernels.findLateParent(at, end, Number(isAll), this.table);
      const first = kernels.groupBegin() - begin;
      if (at === 0) return { ordered, last: first };
      if (ordered === text) ordered = Buffer.from(text);
      let to = first;
      for (const line of parentsBefore(text.subarray(first, at - begin))) to += ordered.write(line, to, 'latin1');
      if (at === end) return { ordered, last: text.length };
    }
  }
}

/** A record of a group. */
interface GroupMember {
  readonly line: string;
  readonly id: string | undefined;
  readonly parents: readonly string[];
}

/**
 * The lines of a group in input order, except that each parent comes just before its first child. In a cycle, some line
 * comes first.
 */
function parentsBefore(group: Buffer): Iterable<string> {
  const members = group
    .toString('latin1')
    .split(/(?<=\n)/)
    .map(memberOf);
  const byId = new Map<string, GroupMember[]>();
  for (const member of members) {
    if (member.id === undefined) continue;
    const known = byId.get(member.id);
    if (known === undefined) byId.set(member.id, [member]);
    else known.push(member);
  }
  const ordered = new Set<GroupMember>();
  const begun = new Set<GroupMember>();
  const stack = members.toReversed();
  while (stack.length > 0) {
    const member = stack.at(-1)!;
    const parents = begun.has(member) ? [] : member.parents.flatMap((parent) => byId.get(parent) ?? []);
    begun.add(member);
    const missing = parents.filter((parent) => !begun.has(parent));
    if (missing.length > 0) stack.push(...missing.reverse());
    else ordered.add(stack.pop()!);
  }
  return Array.from(ordered, ({ line }) => line);
}

function memberOf(line: string): GroupMember {
  const attributes = (line.split('\t', 9)[8] ?? '').trimEnd().split(';');
  const value = (name: string): string | undefined =>
    attributes
      .find((attribute) => attribute.trimStart().startsWith(name))
      ?.trimStart()
      .slice(name.length);
  // An empty ID names nothing.
  return {
    line,
    id: value('ID=') || undefined,
    parents: (value('Parent=')?.split(',') ?? []).filter((parent) => parent !== ''),
  };
}
