/**
 * Checks inputs of -m that must be in order, while they are read, and reports the first record that is not in order.
 * Genomics data must be in order, because headers and indexes promise it (but not the order of ties). Other inputs may
 * be unsorted, as with GNU sort.
 */
import type { Genomics } from '../job/job.js';
import type { Ordering } from '../job/ordering.js';
import { compareRecords } from '../keys/compare.js';
import { KeyMaker } from '../keys/key-maker.js';
import { KEY_HEADER_BYTES, keyLength, textWithoutKey } from '../keys/keyed.js';
import { promisedParts } from '../keys/orders.js';
import { recordFinder } from '../records/record-finder.js';
import { recordName } from '../records/shown.js';
import { WholeRecords } from '../records/whole-records.js';
import type { ByteSource } from '../system/byte-source.js';
import { GpusortError } from '../system/errors.js';
import { type BatchChecker, createBatchChecker, type Pardon } from '../verify/batch-checker.js';
import { checkerModules } from '../verify/checkers.js';
import { recordEnd } from '../verify/pieces.js';

/** Checks the inputs of one merge. */
export class InputOrder {
  private readonly ordering: Ordering;
  private readonly genomics: Genomics;
  private checks: Pick<CheckedInput, 'ordering' | 'checker' | 'isTie'> | null = null;

  constructor(ordering: Ordering, genomics: Genomics) {
    this.ordering = ordering;
    this.genomics = genomics;
  }

  /**
   * Wraps `source`, the keyed lines of the input `label`: reading throws `bad-records` at a record that sorts before
   * the previous one.
   */
  checked(source: ByteSource, label: string): ByteSource {
    let check: OrderCheck | undefined;
    return {
      read: async () => {
        const bytes = await source.read();
        if (bytes !== null)
          (check ??= new OrderCheck({ ...this.opened(), label, genomics: this.genomics })).take(bytes);
        return bytes;
      },
      close: () => source.close(),
    };
  }

  /** One checker for all inputs: a memory for each would take long to create. */
  private opened(): Pick<CheckedInput, 'ordering' | 'checker' | 'isTie'> {
    if (this.checks !== null) return this.checks;
    // Equal records of an input are in order, even if only one of them is kept.
    const ordering: Ordering = { ...this.ordering, unique: false };
    const isTie = tieOf(ordering, promisedParts(this.genomics));
    return (this.checks = {
      ordering,
      isTie,
      checker: createBatchChecker(ordering, checkerModules(ordering), 'run', { pardon: isTie }),
    });
  }
}

/** Whether two records are equal by the first `count` parts of the key. Takes some microseconds. */
function tieOf(ordering: Ordering, count: number): Pardon {
  const { key } = ordering;
  if (key.kind !== 'normalized' || count >= key.parts.length) return () => false;
  const promised: Ordering = { ...ordering, lastResort: false, key: { ...key, parts: key.parts.slice(0, count) } };
  const maker = new KeyMaker(promised);
  const keyOf = (record: Uint8Array): Buffer => {
    const [line] = maker.keyed(Buffer.concat([record, delimiterOf(promised)]));
    const bytes = new Uint8Array(line);
    return Buffer.from(bytes.subarray(0, KEY_HEADER_BYTES + keyLength(promised, bytes)));
  };
  return (previous, next) => keyOf(previous).equals(keyOf(next));
}

const delimiterOf = ({ format }: Ordering): Uint8Array => Uint8Array.of(format.kind === 'lines' ? format.delimiter : 0);

interface CheckedInput {
  readonly ordering: Ordering;
  readonly checker: BatchChecker;
  readonly isTie: Pardon;
  readonly label: string;
  readonly genomics: Genomics;
}

class OrderCheck {
  private readonly input: CheckedInput;
  /** The number of records passed, and the last of them. */
  private records = 0;
  private previous: Uint8Array | null = null;
  private readonly whole: WholeRecords;

  constructor(input: CheckedInput) {
    this.input = input;
    this.whole = new WholeRecords(recordFinder(input.ordering.format));
  }

  take(bytes: Uint8Array): void {
    for (const batch of this.whole.texts(bytes)) this.check(batch);
  }

  private check(batch: Buffer): void {
    const {
      input: { ordering, checker, isTie },
      previous,
    } = this;
    const { digest, last, disorder } = checker.check(batch);
    const first = batch.subarray(0, recordEnd(ordering.format, batch, 0) - 1);
    const atFirst =
      previous !== null &&
      compareRecords(ordering, previous, first) > 0 &&
      !isTie(textWithoutKey(ordering, previous), textWithoutKey(ordering, first));
    const found = atFirst ? { record: 0, byte: 0 } : disorder;
    if (found !== null) throw this.disorderAt(batch, found);
    this.records += digest.records;
    this.previous = last;
  }

  private disorderAt(
    batch: Buffer,
    { record, byte }: { readonly record: number; readonly byte: number },
  ): GpusortError {
    const { ordering, label, genomics } = this.input;
    const number = this.records + record + 1;
    const line = batch.subarray(byte, recordEnd(ordering.format, batch, byte) - 1);
    const name = recordName(genomics.format, textWithoutKey(ordering, line));
    return new GpusortError('bad-records', `${label}: record ${number} sorts before record ${number - 1}: ${name}`, {
      hint: '-m merges inputs that are sorted. Leave out -m to sort them.',
    });
  }
}
