/** BAM that stays on the device. */
import { describeGpu } from '../../../setup/gpu.js';
import { casesOfBam } from '../../bam/cases.js';
import { useGpu } from '../helpers.js';
import { sortOnDevice, TINY } from './on-device.js';

const gpu = useGpu();

describeGpu('BAM on the device', () => {
  casesOfBam((file, headerBytes, usual) => sortOnDevice(gpu(), file, headerBytes, usual === true ? {} : TINY));
});
