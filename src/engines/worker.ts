/**
 * The entry point of worker threads. `npm run build` bundles it as dist/bundle/worker.cjs, which
 * src/system/threads/crew.ts starts.
 */
import { openCodecWorker } from '../codecs/tasks.js';
import { openSampleWorker } from '../input/engine-sample.js';
import { openLongKeyWorker } from '../keys/long-key.js';
import { serve } from '../system/threads/serve.js';
import { openSurveyWorker } from '../verify/survey.js';
import { openVerifyWorker } from '../verify/tasks.js';
import { openCollateWorker } from './collate/worker.js';
import { openCpuWorker } from './cpu/worker.js';
import { openHashedKeyWorker } from './gpu/engine/hashed-key-tasks.js';
import { openHostWorker } from './gpu/strings/msd-radix/host-tasks.js';

serve({
  collate: openCollateWorker,
  cpu: openCpuWorker,
  records: openHostWorker,
  'long-key': openLongKeyWorker,
  'hashed-keys': openHashedKeyWorker,
  sample: openSampleWorker,
  verify: openVerifyWorker,
  survey: openSurveyWorker,
  codec: openCodecWorker,
});
