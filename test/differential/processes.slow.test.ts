/** gpusort against GNU sort as in differential.test.ts, as separate processes. */
import { afterAll } from 'vitest';
import { PROGRAM } from '../battery/runner.js';
import { property } from '../support/property.js';
import { expectAgreement, TIMEOUT_MS } from './agreement.js';
import { cases } from './cases.js';
import { endShell, separate } from './programs.js';

afterAll(endShell);

property(
  'agrees with GNU sort as a separate process',
  [cases],
  (of) => expectAgreement(of, separate(PROGRAM, 'gpusort'), 'gpusort'),
  { runs: 14, seed: 4, timeoutMs: TIMEOUT_MS },
);
