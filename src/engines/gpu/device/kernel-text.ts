/**
 * The text of the files in kernels/wgsl/. In a bundle for browsers, this module contains the files
 * (tools/build/main.mjs).
 */
import { readInstalled } from '../../../system/installed.js';

/** A file of kernels/wgsl/ by its path there. */
export function kernelText(file: string): string {
  return readInstalled(`kernels/wgsl/${file}`).toString('utf8');
}
