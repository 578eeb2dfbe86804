/**
 * Engines of a test in place of those that jobs open. A test file contains
 *
 *     vi.mock(import('../../src/run/open-engine.js'), async () => {
 *       const { fakeEngines } = await import('../support/fake-engines.js');
 *       return fakeEngines(async ({ plan, ordering }) => ...);
 *     });
 *
 * and imports src/run/run-job.ts after that. `decorated` (src/contract/decorated.ts) changes functions of an engine.
 */
import type { Engine } from '../../src/contract/engine.js';
import type { Ordering } from '../../src/job/ordering.js';
import type { AdapterAnswer } from '../../src/plan/facts.js';
import type { Plan } from '../../src/plan/plan.js';

type OpenEngineModule = typeof import('../../src/run/open-engine.js');

/** What a job opens an engine for. */
export interface Opening {
  readonly plan: Plan;
  readonly ordering: Ordering;
  readonly verify: boolean;
}

const ADAPTER = { found: true, name: 'for a test', software: false, maxBindingBytes: 2 ** 31 } as const;

/** The module that opens engines, with those of `open`, on a machine with the adapter that `adapter` returns. */
export function fakeEngines(
  open: (opening: Opening) => Promise<Engine>,
  adapter: () => NonNullable<AdapterAnswer> = () => ADAPTER,
): Pick<OpenEngineModule, 'askAdapter' | 'findAdapter' | 'openEngine'> {
  return {
    askAdapter: async () => adapter(),
    findAdapter: async () => adapter(),
    openEngine: (plan, ordering, _recorder, { verify = false } = {}) => open({ plan, ordering, verify }),
  };
}
