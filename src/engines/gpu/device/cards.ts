/**
 * The GPUs of a Linux machine as its kernel lists them. WebGPU names only a model, so two equal cards look the same to
 * it; here each has a PCI address. Knows no Vulkan: a card may lack a driver. Other systems have none.
 */
import { constants, fileSystem } from '../../../system/file-system.js';

export interface Card {
  /** The driver's name of the model, or PCI vendor and device. Equal cards have equal models. */
  readonly model: string;
  /** PCI address, such as `0000:65:00.0`. */
  readonly address: string;
  /** Its files in /dev, through which drivers reach it. */
  readonly files: readonly string[];
}

const NVIDIA = '/proc/driver/nvidia/gpus';
const DRM = '/sys/class/drm';

/** The cards that this process may open, by address. A Slurm job or a container often has only some. */
export function listCards(): Card[] {
  const found = new Map<string, Card>();
  for (const card of [...nvidiaCards(), ...renderNodes()]) {
    const known = found.get(card.address);
    found.set(card.address, known === undefined ? card : { ...known, files: [...known.files, ...card.files] });
  }
  return [...found.values()]
    .filter(({ files }) => files.every(mayOpen))
    .sort((a, b) => (a.address < b.address ? -1 : 1));
}

/** The largest group of cards of one model; of several equally large ones, that of the first card. */
export function equalCards(cards: readonly Card[]): readonly Card[] {
  const groups = cards.map(({ model }) => cards.filter((card) => card.model === model));
  return groups.reduce((largest, group) => (group.length > largest.length ? group : largest), []);
}

function nvidiaCards(): Card[] {
  return namesIn(NVIDIA).flatMap((address) => {
    const rows = textOf(`${NVIDIA}/${address}/information`);
    const model = /^Model:\s*(\S.*?)\s*$/m.exec(rows)?.[1];
    const minor = /^Device Minor:\s*(\d+)/m.exec(rows)?.[1];
    return model === undefined || minor === undefined ? [] : [{ model, address, files: [`/dev/nvidia${minor}`] }];
  });
}

/** Cards with a driver in the kernel's Direct Rendering Manager, which on many servers are all except NVIDIA's. */
function renderNodes(): Card[] {
  return namesIn(DRM)
    .filter((name) => /^renderD\d+$/.test(name))
    .flatMap((name) => {
      const rows = textOf(`${DRM}/${name}/device/uevent`);
      const model = /^PCI_ID=(.+)$/m.exec(rows)?.[1];
      const address = /^PCI_SLOT_NAME=(.+)$/m.exec(rows)?.[1];
      return model === undefined || address === undefined ? [] : [{ model, address, files: [`/dev/dri/${name}`] }];
    });
}

/**
 * Asks by access(2), which knows the limits of a control group too; opening a file could start the card. If /dev/null
 * is mounted over a file (src/cluster/devices.ts), the card is not available.
 */
export function mayOpen(file: string): boolean {
  try {
    fileSystem.accessSync(file, constants.R_OK | constants.W_OK);
    return fileSystem.statSync(file).rdev !== fileSystem.statSync('/dev/null').rdev;
  } catch {
    return false;
  }
}

function namesIn(directory: string): string[] {
  try {
    return fileSystem.readdirSync(directory).map(String);
  } catch {
    return [];
  }
}

function textOf(file: string): string {
  try {
    return fileSystem.readFileSync(file).toString('latin1');
  } catch {
    return '';
  }
}
