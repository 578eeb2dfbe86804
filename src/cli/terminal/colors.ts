/** Colors of messages: the 16 that all terminals have. Chalk knows neither NO_COLOR nor --color: its level is fixed. */
import { Chalk } from 'chalk';

const chalk = new Chalk({ level: 1 });

/** The text in bold and in a color. */
export const bold = (text: string, color: 'red' | 'yellow'): string => chalk[color].bold(text);
