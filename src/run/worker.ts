/**
 * The entry point of worker threads: src/system/threads/crew.ts starts bin/worker.cjs, which loads the bundle of this
 * module.
 */
import { openCodecWorker } from '../codecs/tasks.js';
import { openCollateWorker } from '../engines/collate/worker.js';
import { openCountWorker } from '../engines/cpu/counting/tasks.js';
import { openCpuWorker } from '../engines/cpu/worker.js';
import { openHashedKeyWorker } from '../engines/gpu/engine/hashed-key-tasks.js';
import { openHostWorker } from '../engines/gpu/hybrid/host-tasks.js';
import { openSampleWorker } from '../input/engine-sample.js';
import { openLongKeyWorker } from '../keys/long-key.js';
import { serve } from '../system/threads/serve.js';
import { openSurveyWorker } from '../verify/survey.js';
import { openVerifyWorker } from '../verify/tasks.js';

// Functions, because the build loads the code of a role when its import is first used.
serve({
  collate: (data) => openCollateWorker(data),
  count: (data) => openCountWorker(data),
  cpu: (data) => openCpuWorker(data),
  records: () => openHostWorker(),
  'long-key': (data) => openLongKeyWorker(data),
  'hashed-keys': (data) => openHashedKeyWorker(data),
  sample: (data) => openSampleWorker(data),
  verify: (data) => openVerifyWorker(data),
  survey: (data) => openSurveyWorker(data),
  codec: () => openCodecWorker(),
});
