/**
 * The visitor's GPU: opens a device with the adapter's own limits, and says in one sentence why it cannot.
 */

/** An error that the page shows as it is: one sentence, perhaps with the remedy. */
export class DemoError extends Error {}

/** Features that the sorts use if they exist. */
const FEATURES = ['timestamp-query', 'subgroups'];
/** Limits that the sorts gain from. The defaults are enough. */
const LIMITS = [
  'maxBufferSize',
  'maxStorageBufferBindingSize',
  'maxStorageBuffersPerShaderStage',
  'maxComputeWorkgroupStorageSize',
  'maxComputeInvocationsPerWorkgroup',
  'maxComputeWorkgroupSizeX',
  'maxImmediateSize',
];

/** The adapter and a device. `onLost` gets a sentence when the device is lost. */
export async function openDevice(onLost) {
  if (!globalThis.isSecureContext)
    throw new DemoError('Browsers offer WebGPU to secure pages only: open this page by https or from localhost.');
  if (navigator.gpu === undefined)
    throw new DemoError('This browser has no WebGPU: use a current Chrome, Edge, Firefox or Safari, or switch it on.');
  const adapter = await navigator.gpu.requestAdapter({ powerPreference: 'high-performance' });
  if (adapter === null)
    throw new DemoError('This browser has WebGPU but offers no GPU: the driver may be too old or on its block list.');
  const requiredLimits = {};
  for (const name of LIMITS) if (name in adapter.limits) requiredLimits[name] = adapter.limits[name];
  const requiredFeatures = FEATURES.filter((name) => adapter.features.has(name));
  let device;
  try {
    device = await adapter.requestDevice({ requiredFeatures, requiredLimits });
  } catch (error) {
    throw new DemoError(`The GPU cannot be opened: ${error.message}`);
  }
  device.lost.then(({ message }) =>
    onLost(`The GPU was lost, perhaps reset by its driver: reload this page. ${message}`.trim()),
  );
  return { adapter, device };
}

/** What the page shows of the GPU: rows of a name and a text. */
export function describeDevice({ adapter, device }) {
  const { vendor, architecture, device: model, description } = adapter.info;
  const name = description || [vendor, model || architecture].filter(Boolean).join(' ') || 'a GPU without a name';
  const { limits } = device;
  const features = [...adapter.features].sort();
  const immediates = navigator.gpu.wgslLanguageFeatures?.has('immediate_address_space') && limits.maxImmediateSize > 0;
  return {
    name,
    software:
      adapter.info.isFallbackAdapter === true || /swiftshader|llvmpipe|basic render/i.test(`${architecture} ${name}`),
    timestamps: device.features.has('timestamp-query'),
    rows: [
      ['Vendor, architecture', [vendor, architecture].filter(Boolean).join(', ') || 'not disclosed'],
      ['Largest binding', formatBytes(limits.maxStorageBufferBindingSize)],
      ['Largest buffer', formatBytes(limits.maxBufferSize)],
      [
        'Workgroup',
        `${limits.maxComputeInvocationsPerWorkgroup} threads, ${formatBytes(limits.maxComputeWorkgroupStorageSize)}`,
      ],
      ['Storage buffers in a kernel', String(limits.maxStorageBuffersPerShaderStage)],
      ['Immediates', immediates ? formatBytes(limits.maxImmediateSize) : 'none; a uniform buffer instead'],
      ['Subgroups', adapter.features.has('subgroups') ? subgroups(adapter.info) : 'none'],
      ['Timestamps', device.features.has('timestamp-query') ? 'yes' : 'none'],
      ['All features', features.join(', ') || 'none'],
    ],
  };
}

function subgroups({ subgroupMinSize: least, subgroupMaxSize: most }) {
  if (!most) return 'yes';
  return `${least === most ? least : `${least} to ${most}`} threads`;
}

/** For example 128 MiB. */
export function formatBytes(bytes) {
  const units = ['bytes', 'KiB', 'MiB', 'GiB'];
  let unit = 0;
  while (bytes >= 1024 && unit < units.length - 1) {
    bytes /= 1024;
    unit++;
  }
  return `${Number(bytes.toPrecision(4))} ${units[unit]}`;
}
