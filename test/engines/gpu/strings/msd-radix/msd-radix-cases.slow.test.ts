/** The MSD radix sort of strings against the host's sort. msd-radix.slow.test.ts has alphabets and widths of digits. */
import { describeGpu } from '../../../../setup/gpu.js';
import { useGpu } from '../../helpers.js';
import { testStringSort } from '../string-sorts.js';
import { msdBy, SMALL } from './sorts.js';

describeGpu('the MSD radix sort of strings', () => {
  testStringSort(useGpu(), 'MSD radix', msdBy(), msdBy(SMALL));
});
