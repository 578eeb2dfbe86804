/**
 * Compresses groups of text to BGZF on a device. If there is none, or it fails, codec threads compress the group and
 * all that follow: the text of the blocks is then the same, but not their bytes.
 */
import { inParallel, quiet } from '../system/promises.js';
import { createSharedMemory, type SharedMemory } from '../system/threads/buffers.js';
import { BLOCK_TEXT, blocksRoom } from './bgzf.js';
import type { Compressed, GroupCodec } from './group-codec.js';
import { type CompressedGroup, GROUP_TEXT } from './tasks.js';
import { CodecThreads } from './threads.js';

/** Bytes of text in a group: a thread of the device compresses a block, so a group has many blocks. */
const DEVICE_GROUP_TEXT = 1024 * BLOCK_TEXT;

/** An open device that compresses. */
export interface DeviceDeflater {
  /** Writes the blocks of the first `bytes` bytes of a text to `target`, where blocksRoom has room. */
  deflate(text: SharedArrayBuffer, bytes: number, target: SharedArrayBuffer): Promise<CompressedGroup>;
  close(): Promise<void>;
}

/** How a device is used. */
export interface DeviceUse {
  readonly open: () => Promise<DeviceDeflater>;
  /** Called once if codec threads compress instead; `groups`: the number of groups that the device has compressed. */
  readonly failed: (error: Error, groups: number) => void;
  /** Bytes of text in a group; for tests. */
  readonly groupText?: number;
}

/**
 * Opens the device, without waiting for it. At most `most` groups are compressed or not yet released. `threads`: codec
 * threads, if the device fails.
 */
export function openDeviceCodec(level: number, threads: number, most: number, use: DeviceUse): GroupCodec {
  return new DeviceCodec(level, threads, most, use);
}

class DeviceCodec implements GroupCodec {
  readonly groupText: number;
  private readonly level: number;
  private readonly use: DeviceUse;
  private readonly device: Promise<DeviceDeflater>;
  private readonly codecs: CodecThreads;
  private readonly targets: SharedMemory;
  /** Groups that the device has compressed. */
  private groups = 0;
  private hasFailed = false;

  constructor(level: number, threads: number, most: number, use: DeviceUse) {
    this.groupText = use.groupText ?? DEVICE_GROUP_TEXT;
    this.level = level;
    this.use = use;
    this.codecs = new CodecThreads(threads);
    this.targets = createSharedMemory(most);
    this.device = use.open();
    // The first group reports a failure.
    quiet(this.device);
  }

  start(): void {}

  async compress(text: SharedArrayBuffer, bytes: number): Promise<Compressed> {
    const target = this.targets.take(blocksRoom(this.groupText));
    const { bytes: length, blocks } = await this.compressTo(target, text, bytes);
    return { bytes: new Uint8Array(target, 0, length), blocks, release: () => this.targets.give(target) };
  }

  async close(): Promise<void> {
    const closed = this.device.then((device) => device.close());
    await Promise.all([quiet(closed), this.codecs.close()]);
  }

  private async compressTo(
    target: SharedArrayBuffer,
    text: SharedArrayBuffer,
    bytes: number,
  ): Promise<CompressedGroup> {
    if (!this.hasFailed) {
      try {
        const made = await (await this.device).deflate(text, bytes, target);
        this.groups++;
        return made;
      } catch (error) {
        if (!this.hasFailed) this.use.failed(error as Error, this.groups);
        this.hasFailed = true;
        this.codecs.start();
      }
    }
    return this.compressInThreads(target, text, bytes);
  }

  /** Codec threads compress parts of the group, whose blocks are then moved together. */
  private async compressInThreads(
    target: SharedArrayBuffer,
    from: SharedArrayBuffer,
    bytes: number,
  ): Promise<CompressedGroup> {
    const { codecs, level } = this;
    const partText = GROUP_TEXT.bgzf;
    const partRoom = blocksRoom(partText);
    const parts = Array.from({ length: Math.ceil(bytes / partText) }, (_, i) => i);
    const made: CompressedGroup[] = [];
    await inParallel(parts, parts.length, async (i) => {
      const at = i * partText;
      const part = { from, at, bytes: Math.min(partText, bytes - at), target, targetAt: i * partRoom };
      made[i] = (await codecs.perform({ kind: 'compress', form: 'bgzf', level, ...part })) as CompressedGroup;
    });
    const all = new Uint8Array(target);
    let end = 0;
    made.forEach((part, i) => {
      all.copyWithin(end, i * partRoom, i * partRoom + part.bytes);
      end += part.bytes;
    });
    return { bytes: end, blocks: made.flatMap(({ blocks }) => [...blocks]) };
  }
}
