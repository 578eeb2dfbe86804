/** Lets a GPU compress what the host writes. */
import type { DeviceUse } from '../codecs/device-codec.js';
import { type InputFile, knownBytes, storedBytes } from '../input/files.js';
import type { SortJob } from '../job/job.js';
import { deflatesOnDevice } from '../plan/compression.js';
import { machineFacts, whyNoGpu } from '../plan/facts.js';
import type { Plan } from '../plan/plan.js';
import { TEXT_RATIO } from '../records/bam.js';
import { warn } from '../report/warnings.js';
import type { Sort } from './caller.js';
import { openDeflater } from './open-engine.js';

/** Lets a GPU compress the output if that pays and there may be one; returns whether it does. */
export function useDevice(
  job: SortJob,
  plan: Plan,
  files: readonly InputFile[],
  use: (device: DeviceUse) => void,
  { recorder, caller }: Sort,
): boolean {
  const textBytes = knownBytes(files) ?? TEXT_RATIO * (storedBytes(files) ?? 0);
  if (whyNoGpu() !== null || !deflatesOnDevice(job, plan, textBytes, machineFacts())) return false;
  recorder.note('a GPU compresses the output, if it can be started');
  use({
    open: () => openDeflater({ anyDevice: job.resources.engine === 'gpu' }, recorder, caller.takeGpu),
    failed: (error, groups) => {
      const rest = groups === 0 ? 'the output' : 'the rest of the output';
      recorder.note(`${error.message}; threads compress ${rest}`);
      if (groups > 0) warn(`the GPU failed (${error.message}); threads compress ${rest}`);
    },
  });
  return true;
}
