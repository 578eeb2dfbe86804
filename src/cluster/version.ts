/** This gpusort's version: all tasks of a job must have the same. */
import { readInstalled } from '../system/installed.js';

export function ownVersion(): string {
  return (JSON.parse(readInstalled('package.json').toString()) as { version: string }).version;
}
