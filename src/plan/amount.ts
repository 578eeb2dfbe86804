/** Binary units of size. src/report/units.ts prints them. */

export const KiB = 1 << 10;
export const MiB = 1 << 20;
export const GiB = 1 << 30;
