/**
 * The sum of record hashes for --verify, computed on the device (kernels/wgsl/records/hash/).
 */

import type { RecordFormat } from '../../../job/ordering.js';
import { addDigests, type Digest, NO_RECORDS } from '../../../report/digest.js';
import type { Gpu } from '../device/device.js';
import { bind, Kernel, loadKernels, readBack, submitPass } from '../device/dispatch.js';
import { type DevicePool, Scratch } from '../device/pool.js';
import { type Records, recordBindings, startOverrides } from './records.js';

/** As in the kernels: workgroups share records longer than LONG_BYTES; each workgroup has a tile of text. */
const LONG_BYTES = 2048;
const TILE_BYTES = 16384;
const SUM_WORDS = 4;

/** Compiles what InputHash needs. */
export function loadInputHash(gpu: Gpu, format: RecordFormat): Promise<unknown> {
  return loadKernels(kernelsOf(gpu, format));
}

function kernelsOf(gpu: Gpu, format: RecordFormat) {
  const constants = { overrides: startOverrides(format) };
  return {
    records: new Kernel(gpu, 'records/hash/records', constants),
    longParts: new Kernel(gpu, 'records/hash/long-parts', constants),
    longRecords: new Kernel(gpu, 'records/hash/long-records', constants),
  };
}

/** Sums the hashes of records on a device. Reads nothing back before the end. */
export class InputHash {
  private readonly gpu: Gpu;
  private readonly pool: DevicePool;
  private readonly delimiterBytes: number;
  private readonly kernels: ReturnType<typeof kernelsOf>;
  private total: Promise<GPUBuffer> | null = null;
  private counted = NO_RECORDS;

  constructor(gpu: Gpu, pool: DevicePool, format: RecordFormat) {
    this.gpu = gpu;
    this.pool = pool;
    this.delimiterBytes = format.kind === 'lines' ? 1 : 0;
    this.kernels = kernelsOf(gpu, format);
  }

  /** Submits the hashing of records, which take `bytes` bytes of their text. */
  async add(records: Records, bytes: number): Promise<void> {
    const { gpu, pool, delimiterBytes, kernels } = this;
    const { textBytes, count } = records;
    const sums = await (this.total ??= this.open());
    const scratch = new Scratch(pool);
    try {
      const slots = Math.floor(textBytes / LONG_BYTES) + 1;
      const longRecords = await scratch.take(slots * 4, 'long records');
      const parts = await scratch.take(slots * 16, 'parts of long records');
      const tiles = Math.ceil(textBytes / TILE_BYTES);
      const [numbers, partSums] = [bind(longRecords, slots * 4), bind(parts, slots * 16)];
      const { text, starts } = recordBindings(records);
      submitPass(
        gpu,
        'tokenize',
        'verify',
        (pass) => {
          kernels.records.dispatch(
            pass,
            { text, starts, sums, long_records: numbers },
            { n: count, delimiter_bytes: delimiterBytes },
            Math.ceil(count / 256),
          );
          kernels.longParts.dispatch(
            pass,
            { text, starts, sums, long_records: numbers, parts: partSums },
            { n: count, delimiter_bytes: delimiterBytes, tiles },
            tiles,
          );
          kernels.longRecords.dispatch(
            pass,
            { starts, sums, long_records: numbers, parts: partSums },
            { slots, delimiter_bytes: delimiterBytes },
            Math.ceil(slots / 256),
          );
        },
        (encoder) => {
          encoder.clearBuffer(longRecords, 0, slots * 4);
          encoder.clearBuffer(parts, 0, slots * 16);
          // The number of long records starts at 0 for each call.
          encoder.clearBuffer(sums, 8, 4);
        },
      );
      this.counted = addDigests(this.counted, { records: count, bytes, hash: 0n });
    } finally {
      scratch.end();
    }
  }

  /** The digest of all records added so far; waits for the device. */
  async digest(): Promise<Digest> {
    if (this.total === null) return NO_RECORDS;
    const hash = new BigUint64Array((await readBack(this.gpu, await this.total, 0, 8)).slice().buffer)[0];
    return { ...this.counted, hash };
  }

  /** Returns its buffer to the pool. */
  async close(): Promise<void> {
    const sums = (await this.total?.catch(() => null)) ?? null;
    if (sums !== null) this.pool.give(sums);
  }

  private async open(): Promise<GPUBuffer> {
    const sums = await this.pool.take(SUM_WORDS * 4, 'hash sums');
    const encoder = this.gpu.device.createCommandEncoder({ label: 'verify' });
    encoder.clearBuffer(sums, 0, SUM_WORDS * 4);
    this.gpu.device.queue.submit([encoder.finish()]);
    return sums;
  }
}
