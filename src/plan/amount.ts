/** The units in which the planner states sizes, in bytes. (src/report/units.ts prints quantities.) */

export const KiB = 1 << 10;
export const MiB = 1 << 20;
export const GiB = 1 << 30;
