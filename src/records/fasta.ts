import type { Framer } from './framing.js';
export function fastaFramer(label: string): Framer { throw new Error(label); }
