/**
 * Colors of messages: the 16 that all terminals have. Chalk's level is fixed, so it does not look at NO_COLOR or
 * --color.
 */
import { Chalk } from 'chalk';

const chalk = new Chalk({ level: 1 });

/** The text in bold and in a color. */
export const bold = (text: string, color: 'red' | 'yellow'): string => chalk[color].bold(text);
