/**
 * Immediates for devices without them (a browser may lack the WGSL feature `immediate_address_space`): a uniform buffer
 * with a slot for each dispatch of a submission, bound with a dynamic offset. The words are sent right before the
 * submission. A queue works in order, so the next submission uses the same slots again.
 */

/** The bind group of the uniform buffer. Kernels bind everything else in group 0. */
export const UNIFORM_GROUP = 1;

/** Dispatches whose words one page holds. More pages are made when a submission has more dispatches. */
const PAGE_SLOTS = 256;
/** The same for recordings: their pages are not used again, and most sorts have few dispatches. */
const RECORDING_SLOTS = 16;
/** Values of GPUBufferUsage and GPUShaderStage, fixed by the WebGPU specification. */
const UNIFORM_TARGET = 0x40 | 0x8;
export const COMPUTE = 0x4;

interface UniformPage {
  readonly buffer: GPUBuffer;
  readonly group: GPUBindGroup;
  readonly words: Uint32Array<ArrayBuffer>;
}

export class UniformImmediates {
  readonly layout: GPUBindGroupLayout;
  private readonly device: GPUDevice;
  /** Bytes that kernels see of a slot, and bytes from slot to slot. */
  private readonly bytes: number;
  private readonly stride: number;
  /** Slots of a page. */
  private readonly slots: number;
  private readonly pages: UniformPage[] = [];
  /** Slots with words that have not been sent. */
  private used = 0;

  /**
   * For kernels with at most `bytes` of immediates. `recording`: the layout of another one, if this one is for one
   * recording.
   */
  constructor(device: GPUDevice, bytes: number, recording: GPUBindGroupLayout | null = null) {
    this.device = device;
    this.bytes = bytes;
    this.stride = Math.max(bytes, device.limits.minUniformBufferOffsetAlignment);
    this.slots = recording === null ? PAGE_SLOTS : RECORDING_SLOTS;
    this.layout =
      recording ??
      device.createBindGroupLayout({
        label: 'immediates',
        entries: [{ binding: 0, visibility: COMPUTE, buffer: { type: 'uniform', hasDynamicOffset: true } }],
      });
  }

  /** For one recording, which is submitted later than the next `send`: its words are in buffers of their own. */
  forRecording(): UniformImmediates {
    return new UniformImmediates(this.device, this.bytes, this.layout);
  }

  /** Sets the words of the next dispatch that `pass` records. */
  set(pass: GPUComputePassEncoder, words: Uint32Array): void {
    const at = Math.floor(this.used / this.slots);
    const offset = (this.used % this.slots) * this.stride;
    if (at === this.pages.length) this.pages.push(this.newPage());
    const page = this.pages[at];
    page.words.set(words, offset / 4);
    pass.setBindGroup(UNIFORM_GROUP, page.group, [offset]);
    this.used++;
  }

  /** Sends the words of all dispatches since the last call. The next submission must be that of these dispatches. */
  send(): void {
    for (let i = 0; this.used > 0; i++) {
      const slots = Math.min(this.used, this.slots);
      const { buffer, words } = this.pages[i];
      this.device.queue.writeBuffer(buffer, 0, words, 0, (slots * this.stride) / 4);
      this.used -= slots;
    }
  }

  private newPage(): UniformPage {
    const size = this.slots * this.stride;
    const buffer = this.device.createBuffer({ label: 'immediates', size, usage: UNIFORM_TARGET });
    const group = this.device.createBindGroup({
      label: 'immediates',
      layout: this.layout,
      entries: [{ binding: 0, resource: { buffer, size: this.bytes } }],
    });
    return { buffer, group, words: new Uint32Array(size / 4) };
  }
}
