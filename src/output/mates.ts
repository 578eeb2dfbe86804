import type { Destination } from './destination.js';
export function splitDestination(files: readonly Destination[]): Destination { return files[0]; }
