/**
 * Dispatches kernels and moves small data: bindings and immediates by name, folding of large grids, buffers, errors.
 */
import type { DeviceStage } from '../../../report/recorder.js';
import { GpusortError, internalError } from '../../../system/errors.js';
import type { KernelConstants } from './compose.js';
import { type Gpu, MAP_READ, USAGE } from './device.js';
import type { CompiledKernel } from './pipelines.js';

/** WebGPU's maximum of workgroups per dimension. Larger grids are folded into two (undone by shared/launch.wgsl). */
const MAX_WORKGROUPS = 65535;

/**
 * Maximum bind groups cached per layout. The pool reuses buffers, and creating a group takes half the time of a
 * dispatch (14 us).
 */
const MOST_GROUPS = 64;
const groups = new WeakMap<GPUBindGroupLayout, Map<string, GPUBindGroup>>();
/** A number for each buffer, for the keys of cached groups. */
const numbers = new WeakMap<GPUBuffer, number>();
let buffers = 0;

function numberOf(buffer: GPUBuffer): number {
  let number = numbers.get(buffer);
  if (number === undefined) {
    number = ++buffers;
    numbers.set(buffer, number);
  }
  return number;
}

/**
 * A kernel with its constants, on one device. Two of the same name and constants share one pipeline. `bindings` and
 * `immediates` of a dispatch have exactly the names that the kernel's WGSL declares; otherwise it throws `internal`.
 */
export class Kernel {
  private readonly gpu: Gpu;
  private readonly name: string;
  private readonly constants: KernelConstants;

  /** `name`: its path under kernels/wgsl/ without the extension. */
  constructor(gpu: Gpu, name: string, constants: KernelConstants = {}) {
    this.gpu = gpu;
    this.name = name;
    this.constants = constants;
  }

  /** Compiles it, or waits until an earlier call has. It can be dispatched afterwards. */
  load(): Promise<unknown> {
    return this.gpu.pipelines.load(this.name, this.constants);
  }

  /**
   * Encodes a dispatch. `workgroups` may be any number; 0 encodes nothing. Above 65,535 they are folded into two
   * dimensions, so the kernel takes its number from `workgroup_number` and returns if that is not below its own count.
   */
  dispatch(pass: GPUComputePassEncoder, bindings: Bindings, immediates: Immediates, workgroups: number): void {
    if (workgroups === 0) return;
    this.set(pass, bindings, immediates);
    // Rows of equal length: a last row of 65,535 for a few workgroups could nearly double the work.
    const rows = Math.ceil(workgroups / MAX_WORKGROUPS);
    pass.dispatchWorkgroups(Math.ceil(workgroups / rows), rows);
  }

  /**
   * Encodes a dispatch whose size the device computes: the number of workgroups is in the three words at `counts` when
   * the dispatch runs. The buffer needs USAGE.INDIRECT; the kernel may bind it for reading, not for writing.
   */
  dispatchIndirect(
    pass: GPUComputePassEncoder,
    bindings: Bindings,
    immediates: Immediates,
    counts: { readonly buffer: GPUBuffer; readonly offset: number },
  ): void {
    this.set(pass, bindings, immediates);
    pass.dispatchWorkgroupsIndirect(counts.buffer, counts.offset);
  }

  private set(pass: GPUComputePassEncoder, bindings: Bindings, immediates: Immediates): void {
    const { gpu } = this;
    const compiled = gpu.pipelines.get(this.name, this.constants);
    for (const name in bindings) {
      if (!compiled.bindings.has(name)) throw internalError(`kernel ${this.name} has no binding ${name}`);
    }
    for (const name in immediates) {
      if (!compiled.immediates.includes(name)) throw internalError(`kernel ${this.name} has no immediate ${name}`);
    }
    gpu.dispatched.add(compiled.label);
    const group = this.groupOf(compiled, bindings);
    const words = this.wordsOf(compiled, immediates);
    pass.setPipeline(compiled.pipeline);
    pass.setBindGroup(0, group);
    if (words.length === 0) return;
    if (gpu.uniforms === null) pass.setImmediates(0, words);
    else gpu.uniforms.set(pass, words);
  }

  /** The group of `bindings`, from the cache if it is there. */
  private groupOf({ layout, bindings: declared }: CompiledKernel, bindings: Bindings): GPUBindGroup {
    let known = groups.get(layout);
    if (known === undefined || known.size >= MOST_GROUPS) groups.set(layout, (known = new Map()));
    let key = '';
    for (const name of declared.keys()) {
      const given = bindings[name];
      if (given === undefined) throw internalError(`kernel ${this.name}: binding ${name} is missing`);
      key += 'buffer' in given ? `${numberOf(given.buffer)}+${given.offset}+${given.size},` : `${numberOf(given)},`;
    }
    let group = known.get(key);
    if (group === undefined) {
      group = this.gpu.device.createBindGroup({
        layout,
        entries: Array.from(declared, ([name, binding]) => {
          const given = bindings[name];
          return { binding, resource: 'buffer' in given ? given : { buffer: given } };
        }),
      });
      known.set(key, group);
    }
    return group;
  }

  /** The words of `immediates` in the order of the kernel's struct. */
  private wordsOf({ immediates: declared }: CompiledKernel, immediates: Immediates): Uint32Array<ArrayBuffer> {
    const words = new Uint32Array(declared.length);
    for (let i = 0; i < words.length; i++) {
      const word = immediates[declared[i]];
      if (word === undefined) throw internalError(`kernel ${this.name}: immediate ${declared[i]} is missing`);
      words[i] = word;
    }
    return words;
  }
}

/** Compiles kernels, in this order; null: nothing to compile. */
export function loadKernels(kernels: Readonly<Record<string, Kernel | null>>): Promise<unknown> {
  return Promise.all(Object.values(kernels).map((kernel) => kernel?.load()));
}

/** How a buffer is made. */
interface BufferKind {
  /** Absent: for storage, copies and indirect dispatches. */
  readonly usage?: number;
  /** Whether the host writes it before the device uses it. */
  readonly mapped?: boolean;
}

const STORAGE = USAGE.STORAGE | USAGE.COPY_SRC | USAGE.COPY_DST | USAGE.INDIRECT;

/**
 * A buffer of at least `bytes` (rounded up to a multiple of 4, at least 16). Throws `out-of-device-memory` if
 * there is not enough memory.
 */
export async function allocate(
  gpu: Gpu,
  bytes: number,
  label: string,
  { usage = STORAGE, mapped = false }: BufferKind = {},
): Promise<GPUBuffer> {
  const size = Math.max(16, Math.ceil(bytes / 4) * 4);
  gpu.device.pushErrorScope('out-of-memory');
  gpu.device.pushErrorScope('validation');
  let buffer: GPUBuffer | undefined;
  try {
    buffer = gpu.device.createBuffer({ size, usage, label, mappedAtCreation: mapped });
  } catch {
    /* the scopes report it */
  }
  const errors = await Promise.all([gpu.device.popErrorScope(), gpu.device.popErrorScope()]);
  if (buffer === undefined || errors.some((e) => e !== null)) {
    checkDevice(gpu);
    throw new GpusortError('out-of-device-memory', `out of GPU memory: ${size} bytes for ${label}`);
  }
  gpu.taken.bytes += size;
  return buffer;
}

/** Throws `device-lost` if the device is lost. */
export function checkDevice(gpu: Gpu): void {
  const reason = gpu.lostReason();
  if (reason !== undefined) throw new GpusortError('device-lost', `the GPU was lost: ${reason}`);
}

/** Waits until a buffer is mapped. Throws `device-lost` if mapping fails. */
export async function mapBuffer(
  gpu: Gpu,
  buffer: GPUBuffer,
  mode: number,
  offset = 0,
  size = buffer.size - offset,
): Promise<void> {
  const noted = gpu.noteErrors();
  try {
    await buffer.mapAsync(mode, offset, size);
  } catch (error) {
    checkDevice(gpu);
    throw new GpusortError('device-lost', `the GPU was lost: ${(error as Error).message}`, { cause: error });
  }
  await noted;
  checkDevice(gpu);
}

/**
 * Submits the copies that `copy` records, then one compute pass that `encode` records. The pass is timed as `stage`.
 */
export function submitPass(
  gpu: Gpu,
  stage: DeviceStage,
  label: string,
  encode: (pass: GPUComputePassEncoder) => void,
  copy?: (encoder: GPUCommandEncoder) => void,
): void {
  const encoder = startEncoder(gpu, label);
  copy?.(encoder);
  const pass = encoder.beginComputePass({ label, ...gpu.timer?.timing(encoder, stage, label) });
  encode(pass);
  pass.end();
  submitDispatches(gpu, encoder);
}

/** An encoder for commands that `submitDispatches` submits. */
export function startEncoder(gpu: Gpu, label: string): GPUCommandEncoder {
  return gpu.encoder ?? gpu.device.createCommandEncoder({ label });
}

/**
 * Submits what `encoder` recorded, unless its owner will (`gpu.encoder`). Everything that was dispatched since the last
 * call must be part of it.
 */
export function submitDispatches(gpu: Gpu, encoder: GPUCommandEncoder): void {
  if (gpu.encoder !== null) return;
  gpu.uniforms?.send();
  gpu.device.queue.submit([encoder.finish()]);
}

/**
 * Frees a buffer of words that only submitted or recorded work reads. WebGPU frees it after submitted work; recorded
 * work needs it until its encoder is submitted, so garbage collection frees it.
 */
export function release(gpu: Gpu, buffer: GPUBuffer | null): void {
  if (gpu.encoder === null) buffer?.destroy();
}

/**
 * Writes words or bytes to a buffer, before all work submitted later. The length is a multiple of 4, and the data is
 * not in shared memory.
 */
export function send(
  gpu: Gpu,
  target: GPUBuffer,
  offset: number,
  data: Uint8Array<ArrayBuffer> | Uint32Array<ArrayBuffer>,
): void {
  refuseRecording(gpu);
  gpu.device.queue.writeBuffer(target, offset, data);
  gpu.traffic.sentBytes += data.byteLength;
}

/** Throws `internal` if work is recorded: the queue would act before it. */
function refuseRecording(gpu: Gpu): void {
  if (gpu.encoder !== null) throw internalError('a recorded sort needs the queue');
}

/** Copies words between two buffers, after all work submitted before. All numbers are multiples of 4. */
export function copyWords(
  gpu: Gpu,
  source: { readonly buffer: GPUBuffer; readonly at: number },
  target: { readonly buffer: GPUBuffer; readonly at: number },
  bytes: number,
): void {
  const encoder = gpu.device.createCommandEncoder();
  encoder.copyBufferToBuffer(source.buffer, source.at, target.buffer, target.at, bytes);
  gpu.device.queue.submit([encoder.finish()]);
}

/** Reads `bytes` bytes of a buffer when all submitted work is done. For a few words or samples, not for text. */
export async function readBack(gpu: Gpu, source: GPUBuffer, offset: number, bytes: number): Promise<Uint8Array> {
  const begin = Math.floor(offset / 4) * 4;
  const size = Math.ceil((offset + bytes) / 4) * 4 - begin;
  return (await readTogether(gpu, [{ buffer: source, offset: begin, size }])).subarray(
    offset - begin,
    offset - begin + bytes,
  );
}

/** Reads single words; returns them in the same order. */
export async function readWords(
  gpu: Gpu,
  words: readonly { readonly buffer: GPUBuffer; readonly at: number }[],
): Promise<Uint32Array> {
  return new Uint32Array(
    (
      await readTogether(
        gpu,
        words.map(({ buffer, at }) => ({ buffer, offset: at * 4, size: 4 })),
      )
    ).buffer,
  );
}

/** Reads parts of buffers and concatenates them. Offsets and sizes are multiples of 4. */
async function readTogether(gpu: Gpu, parts: readonly BufferBinding[]): Promise<Uint8Array> {
  refuseRecording(gpu);
  const bytes = parts.reduce((sum, { size }) => sum + size, 0);
  const staging = gpu.device.createBuffer({
    size: Math.max(bytes, 4),
    usage: USAGE.MAP_READ | USAGE.COPY_DST,
    label: 'read-back',
  });
  const encoder = gpu.device.createCommandEncoder();
  let place = 0;
  for (const { buffer, offset, size } of parts) {
    encoder.copyBufferToBuffer(buffer, offset, staging, place, size);
    place += size;
  }
  gpu.device.queue.submit([encoder.finish()]);
  await mapBuffer(gpu, staging, MAP_READ);
  gpu.traffic.readBackBytes += bytes;
  const copy = new Uint8Array(staging.getMappedRange()).slice(0, bytes);
  staging.unmap();
  staging.destroy();
  return copy;
}

/**
 * The part of a buffer that a kernel sees, in bytes. The offset is a multiple of 256, or of a device's lower
 * minStorageBufferOffsetAlignment.
 */
export interface BufferBinding {
  readonly buffer: GPUBuffer;
  readonly offset: number;
  readonly size: number;
}

/** A whole buffer, or a part of one. */
export type Binding = GPUBuffer | BufferBinding;

/** Bindings by the names that the kernel's WGSL declares. */
export type Bindings = Readonly<Record<string, Binding>>;

/** The words of a kernel's `var<immediate>`, by the names of its struct's fields. */
export type Immediates = Readonly<Record<string, number>>;

/** Bytes of the smallest binding, unless the buffer is smaller. It holds an element of every type in our kernels. */
const LEAST_BYTES = 16;

/** Binds `bytes` of a buffer from `offset` on. A buffer from the pool can be larger than a binding may be. */
export function bind(buffer: GPUBuffer, bytes: number, offset = 0): BufferBinding {
  const size = bytes < LEAST_BYTES ? Math.min(LEAST_BYTES, buffer.size - offset) : Math.ceil(bytes / 4) * 4;
  return { buffer, offset, size };
}
