/**
 * The parts that all sorters of gpusort/kernels share: they compile kernels once, keep scratch memory, and take keys
 * from the caller's buffers through a sort to the requested output. Knows no algorithm.
 */
import { borrowGpu } from '../engines/gpu/device/borrowed-device.js';
import type { Gpu } from '../engines/gpu/device/device.js';
import { checkDevice, startEncoder, submitDispatches } from '../engines/gpu/device/dispatch.js';
import { DevicePool, Scratch } from '../engines/gpu/device/pool.js';
import { PassTimer } from '../engines/gpu/device/timer.js';
import { checkKeyCount, type FixedKeySpec, type KeyArrays, keyWords, mostKeys } from '../engines/gpu/keys/key-sort.js';
import { checkCount, checkDistinct, checkedParts, type GivenPart, partArrays, requestError } from './requests.js';
import type { KeyBuffers, PassTime, SortRequest } from './types.js';

/**
 * The one of its two arrays in which an algorithm leaves the result. `one-pass`: in `spare`, and the algorithm only
 * reads `from`.
 */
export type ResultArray = 'from' | 'spare' | 'either' | 'one-pass';

type AnyRequest = KeyBuffers & Pick<SortRequest, 'output' | 'encoder'>;

/** An algorithm for one kind of request. */
interface RequestAlgorithm<Request extends AnyRequest> {
  /** The name of the sorter in messages. */
  readonly name: string;
  /** Whether the algorithm only submits work, so that the work can also be recorded. */
  readonly canRecord: boolean;
  load(gpu: Gpu, spec: FixedKeySpec): Promise<unknown>;
  /** The number of keys of a request. */
  count(spec: FixedKeySpec, request: Request): number;
  /**
   * Throws unless the rest of the request can be done. Returns the additional parts of buffers that the request binds.
   */
  check(gpu: Gpu, request: Request, count: number): readonly GivenPart[];
  resultArray(request: Request): ResultArray;
  /** Returns whichever of `from` and `spare` holds the result. */
  sort(keys: KeysToSort, request: Request): Promise<KeyArrays>;
}

/** The arguments of KeySort.sort. */
interface KeysToSort {
  readonly scratch: Scratch;
  readonly spec: FixedKeySpec;
  readonly from: KeyArrays;
  readonly spare: KeyArrays;
  readonly count: number;
}

interface Runnable<Request> {
  readonly maxCount: number;
  run(request: Request): Promise<void>;
  time(request: Request): Promise<PassTime[]>;
  destroy(): void;
}

/** Compiles an algorithm for keys of one kind on the caller's device. */
export async function compile<Request extends AnyRequest>(
  device: GPUDevice,
  spec: FixedKeySpec,
  algorithm: RequestAlgorithm<Request>,
): Promise<Runnable<Request>> {
  const gpu = await borrowGpu(device);
  await algorithm.load(gpu, spec);
  checkDevice(gpu);
  const [pool, recordings] = [new DevicePool(gpu), new DevicePool(gpu, { isForRecordings: true })];
  let destroyed = false;
  const destroyIdle = (): void => {
    pool.destroyIdle();
    recordings.destroyIdle();
  };

  const run = async (on: Gpu, request: Request): Promise<void> => {
    if (destroyed) throw requestError(`this ${algorithm.name} was destroyed`);
    checkDevice(gpu);
    const scratch = new Scratch(on.encoder === null ? pool : recordings, on);
    try {
      await submit(scratch, spec, algorithm, request);
      if (on.encoder !== null) on.uniforms?.send();
    } finally {
      scratch.end();
      if (destroyed) destroyIdle();
      else pool.trim();
    }
    checkDevice(gpu);
  };

  return {
    maxCount: mostKeys(gpu, spec),
    run: async (request) => {
      const encoder = checkedEncoder(algorithm, request);
      await run(encoder === null ? gpu : { ...gpu, encoder, uniforms: gpu.uniforms?.forRecording() ?? null }, request);
    },
    time: async (request) => {
      if (request.encoder != null) throw requestError('time() submits the work itself', 'Leave out encoder.');
      const timer = device.features.has('timestamp-query') ? new PassTimer(gpu) : null;
      await run({ ...gpu, timer }, request);
      await device.queue.onSubmittedWorkDone();
      checkDevice(gpu);
      return (await timer?.spans())?.map(({ label, start, end }) => ({ label, start, end })) ?? [];
    },
    destroy: () => {
      destroyed = true;
      destroyIdle();
    },
  };
}

/** The encoder to record into; null: the work is submitted. */
function checkedEncoder(
  { name, canRecord }: Pick<RequestAlgorithm<AnyRequest>, 'name' | 'canRecord'>,
  request: AnyRequest,
): GPUCommandEncoder | null {
  const encoder = request.encoder ?? null;
  if (encoder === null) return null;
  if (!canRecord)
    throw requestError(
      `a ${name} cannot be recorded`,
      'It waits for the device. Leave out encoder, or use another sort.',
    );
  // A program without type checks may give anything.
  if (typeof (encoder as Partial<GPUCommandEncoder>).beginComputePass !== 'function')
    throw requestError('encoder is not a GPUCommandEncoder');
  return encoder;
}

async function submit<Request extends AnyRequest>(
  scratch: Scratch,
  spec: FixedKeySpec,
  algorithm: RequestAlgorithm<Request>,
  request: Request,
): Promise<void> {
  const { gpu } = scratch;
  const count = algorithm.count(spec, request);
  checkCount(count, 'count');
  const inputs = checkedParts(gpu, spec, request, count);
  const outputs = request.output == null ? null : checkedParts(gpu, spec, request.output, count, 'output.');
  const others = algorithm.check(gpu, request, count);
  checkDistinct([...inputs, ...(outputs ?? []), ...others]);
  checkKeyCount(gpu, spec, count);
  const input = partArrays(inputs);
  const target = outputs === null ? input : partArrays(outputs);
  if (count === 0 || (count === 1 && outputs === null)) return;
  // WebGPU can neither copy within one buffer nor read and write one buffer in one dispatch, whichever bytes are used.
  const isShared = outputs?.some(({ buffer }) => inputs.some((part) => part.buffer === buffer)) ?? false;
  const result = isShared ? 'spare' : algorithm.resultArray(request);
  let [from, spare] = [input, target];
  if (outputs === null || isShared || (result !== 'one-pass' && count > 1)) {
    const room = await takeArrays(scratch, spec, count);
    [from, spare] = result === 'spare' || result === 'one-pass' ? [room, target] : [target, room];
    if (from !== input) copyArrays(gpu, spec, input, from, count);
  }
  const sorted = count === 1 ? from : await algorithm.sort({ scratch, spec, from, spare, count }, request);
  if (sorted !== target) copyArrays(gpu, spec, sorted, target, count);
}

async function takeArrays(scratch: Scratch, spec: FixedKeySpec, count: number): Promise<KeyArrays> {
  return {
    keys: await scratch.take(count * 4 * keyWords(spec), 'spare keys'),
    values: spec.values ? await scratch.take(count * 4, 'spare values') : null,
  };
}

/** Submits a copy of `count` keys and their values. */
function copyArrays(gpu: Gpu, spec: FixedKeySpec, from: KeyArrays, to: KeyArrays, count: number): void {
  const encoder = startEncoder(gpu, 'copy keys');
  const bytes = count * 4 * keyWords(spec);
  encoder.copyBufferToBuffer(from.keys, from.keysOffset ?? 0, to.keys, to.keysOffset ?? 0, bytes);
  if (from.values !== null)
    encoder.copyBufferToBuffer(from.values, from.valuesOffset ?? 0, to.values!, to.valuesOffset ?? 0, count * 4);
  submitDispatches(gpu, encoder);
}
