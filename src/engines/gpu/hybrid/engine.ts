/**
 * The engine of the algorithm msd-radix-hybrid (Drozd and Matsuoka, section 4), which sends no text to the device.
 * Chunks and runs lie in shared host memory. The device sorts the first symbols of records; threads of the host do the
 * rest. Runs are like those of the CPU engine, so threads of that engine merge them. Implements the contract of
 * src/contract/engine.ts.
 */

import type { Engine } from '../../../contract/engine.js';
import type { Tuning } from '../../../job/algorithm-table.js';
import { isKeyed } from '../../../keys/keyed.js';
import { allOver, quiet } from '../../../system/promises.js';
import { createSharedMemory } from '../../../system/threads/buffers.js';
import { createMergeEngine } from '../../cpu/engine.js';
import type { Gpu } from '../device/device.js';
import { DevicePool } from '../device/pool.js';
import { watchDevice } from '../device/timer.js';
import { HostChunk, HostKeys } from '../engine/host-keys.js';
import { deviceSizesOf, type GpuEngineOptions } from '../engine/options.js';
import { splitParameters } from '../engine/tunings.js';
import { HOST_CHUNKS } from '../records/keyed-lines/key-support.js';
import { SPLIT_TUNING } from '../strings/msd-radix/entries.js';
import { HybridChunks } from './chunks.js';
import { HostSort } from './host-sort.js';
import { loadPackedPrefixes, sortByPrefixes } from './packed-prefixes.js';

/**
 * An engine whose device is `gpu`, which the caller closes. The host makes all keys. `residentBytes` is memory of the
 * host, and `keyThreads` threads also sort and merge. The kernels compile while the first chunk is read.
 */
export function createHybridEngine(gpu: Gpu, options: GpuEngineOptions, tunings: readonly Tuning[] = []): Engine {
  const { ordering, recorder, limit = null, keyThreads: workers = 0, residentBytes, verify = false } = options;
  const tuning = { ...SPLIT_TUNING, ...splitParameters(tunings) };
  const loaded = loadPackedPrefixes(gpu, tuning);
  // The first `order` reports a failure.
  quiet(loaded);
  const endWatch = watchDevice(gpu, recorder);
  const { recordLimit, textBytes, chunkBytes, pieceBytes } = deviceSizesOf(gpu, options, Infinity);
  const pool = new DevicePool(gpu);
  const shared = createSharedMemory(HOST_CHUNKS);
  const { presence } = recorder;
  const keys = isKeyed(ordering) ? new HostKeys(ordering, workers, shared, { verify, presence }) : null;
  const sort = new HostSort(
    { ordering, limit, recordLimit },
    sortByPrefixes(tuning),
    pool,
    { pool: shared, limit: residentBytes, used: 0 },
    workers,
  );
  const chunks = new HybridChunks({ textBytes, verify, recorder }, sort, keys);
  const { rangeBytes } = options;
  const merging = createMergeEngine({ ordering, recorder, limit, chunkBytes, rangeBytes, workers, residentBytes: 0 });

  return {
    name: 'gpu',
    ...(verify && { input: async () => chunks.input }),
    chunkBytes,
    mergeBytes: merging.mergeBytes,
    pieceBytes,
    rangeBytes: merging.rangeBytes,
    lanes: HOST_CHUNKS,
    mergesAhead: merging.mergesAhead,
    shared,
    openChunk: async () => new HostChunk(shared, chunkBytes, pieceBytes),
    order: async (chunk, bytes) => {
      await loaded;
      return chunks.order(chunk, bytes);
    },
    merge: merging.merge,
    trim: () => pool.destroyOne(),
    close: async () => {
      await endWatch();
      await allOver([keys?.close(), sort.close(), merging.close()]);
      pool.destroyIdle();
    },
  };
}
