/**
 * Whether messages on standard error are coloured: the one place that decides. Sorted data never is. Chalk itself knows neither
 * NO_COLOR nor --color, so it is given the level.
 */
import { isatty } from 'node:tty';
import type { ChalkInstance } from 'chalk';
import type { When } from '../job.js';

const STANDARD_ERROR = 2;

/** --color, then NO_COLOR, then FORCE_COLOR and CLICOLOR_FORCE, then whether standard error is a terminal that can. */
export function isColored(when: When, environment: NodeJS.ProcessEnv, isTerminal = isatty(STANDARD_ERROR)): boolean {
  if (when !== 'auto') return when === 'always';
  if (environment['NO_COLOR']) return false;
  const forced = environment['FORCE_COLOR'];
  if (forced === '0' || forced === 'false') return false;
  if (forced !== undefined) return true;
  if (environment['CLICOLOR_FORCE'] && environment['CLICOLOR_FORCE'] !== '0') return true;
  return isTerminal && environment['TERM'] !== 'dumb';
}

/** Chalk with the sixteen colours of every terminal; loaded only where something is coloured. */
export async function loadChalk(): Promise<ChalkInstance> {
  const { Chalk } = await import('chalk');
  return new Chalk({ level: 1 });
}
