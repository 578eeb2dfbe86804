import type { StreamReader } from './stream.js';
export function joinMates(readers: readonly { label: string; reader: StreamReader }[]): StreamReader { throw new Error(String(readers)); }
