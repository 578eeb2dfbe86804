/** The device finds and inflates the blocks of faulty files of BGZF, and accepts the files that zlib accepts. */
import { type Gunzip, gunzipSync } from 'node:zlib';
import { beforeAll, expect, it } from 'vitest';
import { blocksOnDevice, loadBlocks } from '../../../../src/engines/gpu/bgzf/blocks.js';
import { loadInflate } from '../../../../src/engines/gpu/bgzf/inflate.js';
import { DevicePool, Scratch } from '../../../../src/engines/gpu/device/pool.js';
import { describeGpu } from '../../../setup/gpu.js';
import { uploadText, useGpu } from '../helpers.js';
import { blocksOf, type FaultyFile, type FoundBlock, faultyFile } from './faulty-files.js';
import { checkPlaces } from './inflate-checks.js';
import { streams } from './streams.js';

const FILES_PER_LAUNCH = 300;
const useTestGpu = useGpu();

/** What a file needs to be compared: its blocks, and whether they reach its end. */
interface Found {
  readonly file: FaultyFile;
  readonly blocks: readonly FoundBlock[];
  readonly isWhole: boolean;
}

/** The whole text by zlib; null if it refuses the file, or takes the rest of it for garbage. */
function gunzipped(bytes: Buffer): Buffer | null {
  try {
    // With `info` it returns both, which its type does not say.
    const { buffer, engine } = gunzipSync(bytes, { info: true }) as unknown as { buffer: Buffer; engine: Gunzip };
    return engine.bytesWritten === bytes.length ? buffer : null;
  } catch {
    return null;
  }
}

describeGpu('faulty files of BGZF on the device', () => {
  beforeAll(() => Promise.all([loadBlocks(useTestGpu()), loadInflate(useTestGpu())]));

  /** Finds the blocks of each file between the others, and expects those that the model finds. */
  async function findAll(files: readonly FaultyFile[], input: GPUBuffer, textBegin: number) {
    const scratch = new Scratch(new DevicePool(useTestGpu()));
    let [end, text] = [0, textBegin];
    const begins = files.map(({ bytes }) => (end += bytes.length) - bytes.length);
    // The device has many of them at once.
    const byDevice = await Promise.all(
      files.map(({ bytes }, i) => blocksOnDevice(scratch, input, begins[i], begins[i] + bytes.length)),
    );
    const places: number[] = [];
    const found = files.map((file, i): Found => {
      const { blocks, end } = byDevice[i];
      const expected = blocksOf(file.bytes);
      const moved = expected.blocks.map((block) => ({
        ...block,
        from: block.from + begins[i],
        to: block.to + begins[i],
      }));
      expect({ blocks, end }, file.name).toEqual({ blocks: moved, end: expected.end + begins[i] });
      for (const { from, to, textBytes } of blocks) {
        places.push(from, to, text, text + textBytes);
        text += textBytes;
      }
      return { file, blocks, isWhole: expected.end === file.bytes.length };
    });
    scratch.end();
    return { found, places: new Uint32Array(places) };
  }

  /** Returns the numbers of faults, and of files that are accepted. */
  async function checkFiles(
    files: readonly FaultyFile[],
    textBegin: number,
  ): Promise<{ faults: number; sound: number }> {
    const compressed = Buffer.concat(files.map(({ bytes }) => bytes));
    const input = uploadText(useTestGpu(), compressed);
    const { found, places } = await findAll(files, input, textBegin);
    const blocks = found.flatMap(({ file, blocks }) =>
      blocks.map(({ textBytes }, i) => ({ name: `block ${i} of ${file.name}`, textBytes })),
    );
    const withData = blocks.map((block, i) => ({
      ...block,
      data: compressed.subarray(places[4 * i], places[4 * i + 1]),
    }));
    const { accepted, crcs, text } = await checkPlaces(useTestGpu(), input, places, withData);
    input.destroy();
    let [faults, sound, at] = [0, 0, 0];
    for (const { file, blocks, isWhole } of found) {
      const [first, end] = [at, at + blocks.length];
      at = end;
      faults += file.faults;
      const isAccepted = isWhole && blocks.every(({ crc }, i) => accepted[first + i] && crcs[first + i] === crc);
      const byZlib = file.bytes.length === 0 ? Buffer.alloc(0) : gunzipped(file.bytes);
      if (!file.isBroken) expect(isAccepted, file.name).toBe(byZlib !== null);
      if (!isAccepted) continue;
      sound++;
      const whole = text.subarray(places[4 * first + 2], places[4 * first + 2] + byZlib!.length);
      if (first < end && places[4 * end - 1] - places[4 * first + 2] !== byZlib!.length) expect.fail(file.name);
      if (first < end && Buffer.compare(whole, byZlib!) !== 0) expect.fail(`another text of ${file.name}`);
    }
    return { faults, sound };
  }

  it(
    'finds their blocks, and accepts or refuses them as zlib does',
    async () => {
      let [faults, sound, launches] = [0, 0, 0];
      for (const least = streams({ daily: 2000, nightly: 20_000 }); faults < least; launches++) {
        const first = launches * FILES_PER_LAUNCH;
        const files = Array.from({ length: FILES_PER_LAUNCH }, (_, i) => faultyFile(first + i));
        const checked = await checkFiles(files, launches % 4);
        faults += checked.faults;
        sound += checked.sound;
      }
      // Enough of both kinds.
      const files = launches * FILES_PER_LAUNCH;
      expect(sound).toBeGreaterThan(files / 10);
      expect(files - sound).toBeGreaterThan(files / 5);
    },
    6 * 3600_000,
  );
});
