import { endedByNewlines } from '../keys/csv-text.js';
import type { Restorer } from './framing.js';
export const newlineRestorer = (): Restorer => ({ next: endedByNewlines, end: () => new Uint8Array() });
