/** -r does not reverse keys of CSV and JSON that have letters of their own. A warning says what does. */
import { expect, it } from 'vitest';
import { shell } from '../run.js';

const CSV = "printf 'name,price\\na,2\\nb,10\\n' |";
const JSON_LINES = `printf '{"a":{"b":2}}\\n{"a":{"b":10}}\\n' |`;

const warning = (key: string, own: string, letters: string): string =>
  `gpusort: warning: -r does not apply to the key ${key}, which has ${own}: ` +
  `write '${letters}r' instead of '${letters}'\n`;
const ONE = 'a letter of its own';

it.each([
  [`${CSV} $GPUSORT --csv -r -k price:n`, 'name,price\na,2\nb,10\n', warning("'price'", ONE, 'n')],
  [`${CSV} $GPUSORT --csv -r -k 2n`, 'name,price\na,2\nb,10\n', warning("'2'", ONE, 'n')],
  [`${CSV} $GPUSORT --csv -r -k price:nb`, 'name,price\na,2\nb,10\n', warning("'price'", 'letters of its own', 'nb')],
  [`${JSON_LINES} $GPUSORT -r --json a.b:n`, '{"a":{"b":2}}\n{"a":{"b":10}}\n', warning("'a.b'", ONE, 'n')],
  [`${CSV} $GPUSORT --csv -r -k price`, 'name,price\na,2\nb,10\n', ''],
  [`${CSV} $GPUSORT --csv -nr -k price`, 'name,price\nb,10\na,2\n', ''],
  [`${CSV} $GPUSORT --csv -r -k price:n -k name:r`, 'name,price\na,2\nb,10\n', ''],
  [`${CSV} $GPUSORT --csv -k price:n`, 'name,price\na,2\nb,10\n', ''],
  [`printf '1 2\\n0 1\\n' | $GPUSORT -r -k2n`, '0 1\n1 2\n', ''],
])('%s', (line, stdout, stderr) => {
  expect(shell(line)).toMatchObject({ status: 0, stdout, stderr });
});
