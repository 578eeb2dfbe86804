/**
 * The text of the files in kernels/wgsl/. A bundle for browsers has this module with the files inside
 * (tools/build/main.mjs).
 */
import { readInstalled } from '../../../system/installed.js';

/** A file of kernels/wgsl/ by its path there. */
export function kernelText(file: string): string {
  return readInstalled(`kernels/wgsl/${file}`).toString('utf8');
}
