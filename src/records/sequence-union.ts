/**
 * Unites the lists of sequences in headers of alignments. The united list keeps the order of each list. If possible,
 * names are in the order of their first appearance, as in `samtools merge`; otherwise in another order that suits all
 * lists. Lists that contradict each other are refused. Knows no lines and no files.
 */
import { bytesToText } from '../report/names.js';
import { GpusortError } from '../system/errors.js';

/** A sequence as a header describes it; one character for each byte. */
export interface Sequence {
  readonly name: string;
  readonly length: string;
  /** The digest (M5); undefined: unknown. */
  readonly digest: string | undefined;
  /** The @SQ line; null: a BAM header has no line for it. */
  readonly line: string | null;
}

/** A sequence of the union, and the first input that named it. */
interface United {
  readonly sequence: Sequence;
  readonly label: string;
  /** The first known digest, and the input that has it. */
  digest: { readonly value: string; readonly label: string } | null;
}

interface List {
  readonly label: string;
  readonly sequences: readonly Sequence[];
}

/** The united list, by the names of its sequences. */
interface UnitedOrder {
  readonly names: readonly string[];
  /** For each list, the places of its sequences; null: the united list begins with this list. */
  readonly places: readonly (readonly number[] | null)[];
  /** Whether all lists have all of these sequences in this order. */
  readonly isOneList: boolean;
}

/** Bytes of a name or a digest in a message. */
const SHOWN_BYTES = 100;
const PREFIX = 'chr';

export class SequenceUnion {
  /** Different lists, in the order of the inputs. */
  private readonly lists: List[] = [];
  /** The numbers of lists, by their contents. */
  private readonly numbers = new Map<string, number>();
  /** The lists of inputs, by the numbers of the inputs. */
  private readonly listOf = new Map<number, number>();
  /** All sequences by name, in the order of their first appearance. Empty while there is only one list. */
  private readonly united = new Map<string, United>();
  private order = ONE_LIST;

  /**
   * Adds the list of an input. Throws `bad-records` if it contradicts earlier ones: a sequence has another length or
   * digest, the lists share no name and differ in the prefix `chr`, or no order suits all lists.
   */
  add({ label, number }: { readonly label: string; readonly number: number }, sequences: readonly Sequence[]): void {
    const text = sequences.map(({ name, length, digest = '' }) => [name, length, digest].join('\t')).join('\n');
    const known = this.numbers.get(text);
    this.listOf.set(number, known ?? this.lists.length);
    if (known !== undefined) return;
    this.numbers.set(text, this.lists.length);
    const list = { label, sequences };
    if (this.lists.length === 1) this.unite(this.lists[0]);
    if (this.lists.length >= 1) this.unite(list);
    this.lists.push(list);
    this.order = this.lists.length < 2 ? ONE_LIST : this.unitedOrder();
  }

  /** The united list; null: all inputs have the names of the first one, in its order. */
  get all(): readonly Sequence[] | null {
    const { names, isOneList } = this.order;
    return isOneList ? null : names.map((name) => this.united.get(name)!.sequence);
  }

  /** The numbers of an input's sequences in the united list, by their numbers in the input; null: they are the same. */
  placesOf(number: number): readonly number[] | null {
    return this.order.places[this.listOf.get(number) ?? 0] ?? null;
  }

  private unitedOrder(): UnitedOrder {
    const names = this.commonOrder();
    const places = new Map(names.map((name, i) => [name, i]));
    const lists = this.lists.map(({ sequences }) => sequences.map(({ name }) => places.get(name)!));
    const isBeginning = (list: readonly number[]): boolean => list.every((place, i) => place === i);
    return {
      names,
      places: lists.map((list) => (isBeginning(list) ? null : list)),
      isOneList: lists.every((list) => list.length === names.length && isBeginning(list)),
    };
  }

  /** The order of first appearance if it suits all lists, or another order that does. Throws if there is none. */
  private commonOrder(): readonly string[] {
    const names = [...this.united.keys()];
    const places = new Map(names.map((name, i) => [name, i]));
    const before: number[][] = names.map(() => []);
    let isOrdered = true;
    for (const { sequences } of this.lists)
      for (let i = 1; i < sequences.length; i++) {
        const [one, next] = [places.get(sequences[i - 1].name)!, places.get(sequences[i].name)!];
        isOrdered &&= one < next;
        before[next].push(one);
      }
    if (isOrdered) return names;
    const common = afterAll(before);
    if (common === null) throw this.noCommonOrder();
    return common.map((place) => names[place]);
  }

  /** The error if no order suits the last list and those before it. It shows the first difference. */
  private noCommonOrder(): GpusortError {
    const last = this.lists.at(-1)!;
    // Any two lists may have a common order although all of them have none. `order` is still the order of the earlier
    // lists.
    const sequences = this.order.names.map((name) => this.united.get(name)!.sequence);
    const before = { label: 'the inputs before it', sequences };
    for (const earlier of [...this.lists.slice(0, -1), before]) {
      const found = firstSwap(last, earlier);
      if (found !== null) return found;
    }
    throw new Error('the lists have a common order');
  }

  private unite(list: List): void {
    const { label, sequences } = list;
    this.refuseOtherNames(list);
    const own = new Set<string>();
    for (const [i, sequence] of sequences.entries()) {
      const { name, length, digest } = sequence;
      if (name === '') throw bad(`${label}: an @SQ line of the header has no name (SN)`);
      if (own.has(name)) throw bad(`${label}: the header lists a contig twice: ${shown(name)}`);
      own.add(name);
      const same = this.united.get(name);
      const found = digest === undefined ? null : { value: digest, label };
      if (same === undefined) {
        this.united.set(name, { sequence, label, digest: found });
        continue;
      }
      if (same.sequence.length !== length) throw otherSequence(label, i, sequence, same, ONE_REFERENCE);
      same.digest ??= found;
      if (found !== null && same.digest!.value.toLowerCase() !== found.value.toLowerCase())
        throw bad(
          `${label}: sequence ${i + 1} of the header, ${shown(name)}, has M5 ${shown(found.value)}, but ` +
            `${shown(same.digest!.value)} in ${same.digest!.label}`,
          ONE_REFERENCE,
        );
    }
  }

  /** Throws if a list shares no name with earlier ones, but would with or without `chr`: it is the same reference. */
  private refuseOtherNames({ label, sequences }: List): void {
    if (sequences.some(({ name }) => this.united.has(name))) return;
    for (const [i, sequence] of sequences.entries()) {
      const { name, length } = sequence;
      const other = this.united.get(name.startsWith(PREFIX) ? name.slice(PREFIX.length) : PREFIX + name);
      if (other?.sequence.length === length) throw otherSequence(label, i, sequence, other, RENAME);
    }
  }
}

const ONE_REFERENCE =
  'Align all inputs to one reference. samtools reheader would change the header, not the alignments.';
const RENAME =
  'Change the @SQ lines of one file with samtools reheader -c; convert SAM to BAM first. Records of BAM need no ' +
  'change.';
const REORDER = 'Put one of them in the order of the other first, for example with ReorderSam of Picard.';

const ONE_LIST: UnitedOrder = { names: [], places: [], isOneList: true };

/**
 * The indices of `before` in topological order: each index comes after the indices in its list, and as early as
 * possible. Null: no such order exists.
 */
function afterAll(before: readonly (readonly number[])[]): number[] | null {
  const order: number[] = [];
  const [OPEN, DONE] = [1, 2];
  const states = new Uint8Array(before.length);
  for (let first = 0; first < before.length; first++) {
    const path = [first];
    while (path.length > 0) {
      const at = path.at(-1)!;
      const missing = states[at] === DONE ? [] : before[at].filter((place) => states[place] !== DONE);
      if (missing.some((place) => states[place] === OPEN)) return null;
      if (missing.length > 0) {
        states[at] = OPEN;
        for (const place of missing.reverse()) path.push(place);
        continue;
      }
      if (states[at] !== DONE) order.push(at);
      states[at] = DONE;
      path.pop();
    }
  }
  return order;
}

/** The error for the first two sequences that an earlier list has in the other order; null if the lists agree. */
function firstSwap({ label, sequences }: List, earlier: List): GpusortError | null {
  const places = new Map(earlier.sequences.map(({ name }, i) => [name, i]));
  const shared = sequences.filter(({ name }) => places.has(name));
  const at = shared.findIndex(({ name }, i) => i > 0 && places.get(name)! < places.get(shared[i - 1].name)!);
  if (at < 0) return null;
  const [one, next] = [shared[at - 1], shared[at]].map(({ name }) => shown(name));
  return bad(`${label}: the header lists ${one} before ${next}, but after it in ${earlier.label}`, REORDER);
}

function otherSequence(label: string, i: number, found: Sequence, known: United, hint: string): GpusortError {
  const described = ({ name, length }: Sequence): string => `${shown(name)} of ${length} bases`;
  const others = `${described(known.sequence)} in ${known.label}`;
  return bad(`${label}: sequence ${i + 1} of the header is ${described(found)}, but ${others}`, hint);
}

const shown = (text: string): string => bytesToText(Buffer.from(text, 'latin1').subarray(0, SHOWN_BYTES));

const bad = (message: string, hint?: string): GpusortError =>
  new GpusortError('bad-records', message, hint === undefined ? {} : { hint });
