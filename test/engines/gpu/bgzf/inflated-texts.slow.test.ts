/** Stretches of BGZF that become texts, inflated on the device. Compiles the kernels that inflate. */
import { beforeAll } from 'vitest';
import { loadInflatedTexts } from '../../../../src/engines/gpu/bgzf/inflated-texts.js';
import { loadFraming } from '../../../../src/engines/gpu/records/frame.js';
import { describeGpu } from '../../../setup/gpu.js';
import { useGpu } from '../helpers.js';
import { casesOfTexts, FRAMINGS } from './texts-of-files.js';

const gpu = useGpu();

describeGpu('files of BGZF on the device', () => {
  beforeAll(() =>
    Promise.all([loadInflatedTexts(gpu()), ...Object.values(FRAMINGS).map((framing) => loadFraming(gpu(), framing))]),
  );
  casesOfTexts(gpu);
});
