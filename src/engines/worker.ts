/**
 * The entry point of worker threads: src/system/threads/crew.ts starts bin/worker.cjs, which loads this module's bundle.
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

// Getters: the build loads a role's code when the role is first named.
serve({
  get collate() {
    return openCollateWorker;
  },
  get cpu() {
    return openCpuWorker;
  },
  get records() {
    return openHostWorker;
  },
  get 'long-key'() {
    return openLongKeyWorker;
  },
  get 'hashed-keys'() {
    return openHashedKeyWorker;
  },
  get sample() {
    return openSampleWorker;
  },
  get verify() {
    return openVerifyWorker;
  },
  get survey() {
    return openSurveyWorker;
  },
  get codec() {
    return openCodecWorker;
  },
});
