/** Does work by a plan. If a device fails, tries again by a smaller plan: with less device memory, then on the CPU. */
import type { PlannedJob } from '../job/job.js';
import { machineFacts } from '../plan/facts.js';
import { type NextPlan, smallerPlan } from '../plan/make-plan.js';
import type { Plan } from '../plan/plan.js';

/** An attempt that failed, and the plan of the next one. */
export interface Failure {
  readonly error: Error;
  readonly plan: Plan;
  readonly next: NextPlan;
}

interface AttemptedWork<Result> {
  attempt(plan: Plan): Promise<Result>;
  /** Called before another attempt. Throws if another attempt is impossible. */
  again(failure: Failure): void;
}

/** The result of the first attempt that succeeds. Throws the error of an attempt that no smaller plan would help. */
export async function byPlans<Result>(
  first: Plan,
  job: PlannedJob,
  { attempt, again }: AttemptedWork<Result>,
): Promise<Result> {
  for (let plan = first; ; ) {
    try {
      return await attempt(plan);
    } catch (error) {
      const next = smallerPlan(plan, error, job, machineFacts());
      if (next === null) throw error;
      again({ error: error as Error, plan, next });
      plan = next.plan;
    }
  }
}
