/** Copies text on the device between any byte offsets. */
import type { Gpu } from '../device/device.js';
import { Kernel } from '../device/dispatch.js';

/** Words of the target that one workgroup of copy-bytes writes. */
const TILE_WORDS = 1024;

const copyKernel = (gpu: Gpu): Kernel => new Kernel(gpu, 'records/copy-bytes');

/** Compiles what `copyOnDevice` needs. */
export function loadCopyBytes(gpu: Gpu): Promise<unknown> {
  return copyKernel(gpu).load();
}

/** A byte of a text. */
interface PlaceInText {
  readonly text: GPUBuffer;
  readonly at: number;
}

/**
 * Encodes a copy between any byte offsets. Bytes that share a target word with earlier bytes must be copied after them;
 * the rest of the last word becomes zero.
 */
export function copyOnDevice(
  gpu: Gpu,
  pass: GPUComputePassEncoder,
  source: PlaceInText,
  target: PlaceInText,
  bytes: number,
): void {
  const words = Math.ceil(((target.at % 4) + bytes) / 4);
  copyKernel(gpu).dispatch(
    pass,
    { text: source.text, target_text: target.text },
    { source: source.at, target_byte: target.at, bytes },
    bytes === 0 ? 0 : Math.ceil(words / TILE_WORDS),
  );
}
