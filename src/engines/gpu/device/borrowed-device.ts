/**
 * A Gpu on a device that belongs to someone else: the program that uses gpusort/kernels. It leaves no error scope open,
 * destroys nothing that it did not make, and needs no feature and only the default limits. Knows no sort.
 */
import { GpusortError } from '../../../system/errors.js';
import { type Gpu, gpuOf, hasImmediates, subgroupSizes } from './device.js';

/** WGSL's language features that our kernels use if they are available. */
type LanguageFeature = 'immediate_address_space' | 'subgroup_id';

/** All sorters of a device share its pipelines. */
const known = new WeakMap<GPUDevice, Promise<Gpu>>();

/**
 * The Gpu of a device; the same one at every call. Throws `device-lost` if the device is lost, `usage` if `device` is
 * not one.
 */
export function borrowGpu(device: GPUDevice): Promise<Gpu> {
  // A program without types may pass anything, for example the adapter.
  if (typeof (device as Partial<GPUDevice> | null | undefined)?.createBuffer !== 'function')
    throw new GpusortError('usage', 'the device is not a GPUDevice');
  let gpu = known.get(device);
  if (gpu === undefined) {
    gpu = makeGpu(device);
    known.set(device, gpu);
  }
  return gpu;
}

async function makeGpu(device: GPUDevice): Promise<Gpu> {
  let lost: string | undefined;
  void device.lost.then((info) => {
    lost = info.message || info.reason;
  });
  const { limits } = device;
  // Older browsers do not say which adapter a device is on.
  const info = (device.adapterInfo as GPUAdapterInfo | undefined) ?? ({ vendor: '' } as GPUAdapterInfo);
  const sizes = subgroupSizes(info, device.features);
  try {
    const [immediates, subgroups] = await Promise.all([
      hasImmediates(limits) && speaks(device, 'immediate_address_space'),
      sizes !== null && speaks(device, 'subgroup_id'),
    ]);
    return gpuOf(device, { info, limits }, subgroups ? sizes : null, immediates, {
      lostReason: () => lost,
      noteErrors: () => Promise.resolve(),
      close: () => {},
    });
  } catch (error) {
    throw new GpusortError('device-lost', `the GPU was lost: ${lost ?? (error as Error).message}`, { cause: error });
  }
}

/** Whether the device's implementation knows a language feature. Only browsers list them in a known place. */
async function speaks(device: GPUDevice, feature: LanguageFeature): Promise<boolean> {
  const listed = (globalThis as { navigator?: { readonly gpu?: GPU } }).navigator?.gpu?.wgslLanguageFeatures;
  if (listed !== undefined) return listed.has(feature);
  device.pushErrorScope('validation');
  device.createShaderModule({ label: feature, code: `requires ${feature};` });
  return (await device.popErrorScope()) === null;
}
