/** Memory sizes in binary units, for the reasons of plans. */

export const KiB = 1 << 10;
export const MiB = 1 << 20;
export const GiB = 1 << 30;

/** A size in readable form, for example 1.5 GiB. */
export function amount(bytes: number): string {
  if (bytes < KiB) return `${bytes} bytes`;
  const [unit, name] = bytes < MiB ? [KiB, 'KiB'] : bytes < GiB ? [MiB, 'MiB'] : [GiB, 'GiB'];
  const value = bytes / unit;
  return `${value >= 100 || Number.isInteger(value) ? Math.round(value) : value.toFixed(1)} ${name}`;
}
