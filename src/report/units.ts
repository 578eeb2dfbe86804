/**
 * Formats quantities for people. Sizes are in binary units with their IEC names, like -S and the system's memory: 1 KiB
 * is 1024 bytes. All text that gpusort prints uses these functions; JSON has plain numbers of bytes and milliseconds.
 */

/** Units of sizes, in bytes. */
export const KiB = 1 << 10;
export const MiB = 1 << 20;
export const GiB = 1 << 30;

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'] as const;

/** `1.5 GiB`, `64 MiB`: three significant digits, without zeros at the end of a fraction; whole bytes below 1 KiB. */
export function formatBytes(bytes: number): string {
  let power = 0;
  let value = bytes;
  // 1023.5 would be printed as 1024.
  while (value >= 1023.5 && power < UNITS.length - 1) {
    value /= 1024;
    power++;
  }
  return `${power === 0 ? Math.round(value) : Number(threeDigits(value))} ${UNITS[power]}`;
}

/** `250 MiB/s`; a dash if no time has passed or there are no bytes. */
export function formatRate(bytes: number, milliseconds: number): string {
  return milliseconds > 0 && bytes > 0 ? `${formatBytes((bytes / milliseconds) * 1000)}/s` : '-';
}

/** `16.2 ms`, `0.250 s`, `12.5 s`, `3 min 05 s`, `2 h 10 min`. */
export function formatTime(milliseconds: number): string {
  if (milliseconds === 0) return '0 s';
  if (milliseconds < 99.95) return `${threeDigits(milliseconds)} ms`;
  const seconds = milliseconds / 1000;
  return seconds < 59.95 ? `${threeDigits(seconds)} s` : formatSeconds(seconds);
}

/** `0 s`, `12 s`, `3 min 05 s`, `2 h 10 min`. */
export function formatSeconds(seconds: number): string {
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${pad(whole % 60)} s`;
  const minutes = Math.round(seconds / 60);
  return `${Math.floor(minutes / 60)} h ${pad(minutes % 60)} min`;
}

function threeDigits(value: number): string {
  return value.toFixed(value >= 99.95 ? 0 : value >= 9.995 ? 1 : value >= 0.9995 ? 2 : 3);
}

function pad(value: number): string {
  return String(value).padStart(2, '0');
}

/** `1 record`, `2 records`. */
export function numberOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** `950`, `12.3 k`, `4.00 M`. */
export function formatCount(count: number): string {
  if (count < 1000) return String(count);
  const [value, letter] =
    count < 999_500 ? [count / 1e3, 'k'] : count < 999.5e6 ? [count / 1e6, 'M'] : [count / 1e9, 'G'];
  return `${value.toPrecision(3)} ${letter}`;
}
