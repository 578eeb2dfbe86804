/** BAM that stays on the device. */
import { describeGpu } from '../../../setup/gpu.js';
import { casesOfBam } from '../../bam/cases.js';
import { useGpu } from '../helpers.js';
import { sortOnDevice, TINY } from './on-device.js';

const gpu = useGpu();

describeGpu('BAM on the device', () => {
  casesOfBam((files, headerBytes, usual) =>
    sortOnDevice(gpu(), files, headerBytes, { sizes: usual === true ? {} : TINY }),
  );
});
