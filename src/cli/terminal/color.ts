/**
 * Decides whether messages on standard error are colored. Sorted data never is. Chalk knows neither NO_COLOR nor
 * --color, so it gets a fixed level.
 */
import { isatty } from 'node:tty';
import type { ChalkInstance } from 'chalk';
import type { When } from '../../job/job.js';

const STANDARD_ERROR = 2;

/**
 * In order of precedence: --color, NO_COLOR, FORCE_COLOR, CLICOLOR_FORCE, a standard error that is a terminal with
 * colors.
 */
export function isColored(when: When, environment: NodeJS.ProcessEnv, isTerminal = isatty(STANDARD_ERROR)): boolean {
  if (when !== 'auto') return when === 'always';
  if (environment.NO_COLOR) return false;
  const forced = environment.FORCE_COLOR;
  if (forced === '0' || forced === 'false') return false;
  if (forced !== undefined) return true;
  if (environment.CLICOLOR_FORCE && environment.CLICOLOR_FORCE !== '0') return true;
  return isTerminal && environment.TERM !== 'dumb';
}

/** Chalk with the 16 colors that all terminals have; loaded only if something is colored. */
export async function loadChalk(): Promise<ChalkInstance> {
  const { Chalk } = await import('chalk');
  return new Chalk({ level: 1 });
}
