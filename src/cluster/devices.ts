/**
 * Spreads processes of this host over equal GPUs. WebGPU gives every process the first GPU, and neither Dawn nor the
 * Vulkan loader accepts a device number. So each process runs in its own mount namespace, as in a container, where the
 * files of all other cards are hidden. If that is not permitted, Mesa's layer for the Vulkan loader selects the card.
 * Knows nothing about tasks.
 */
import { spawnSync } from 'node:child_process';
import { type Card, equalCards, listCards } from '../engines/gpu/device/cards.js';
import { DEVICE_SELECT, hasLayer } from '../engines/gpu/device/vulkan.js';

interface ProcessPlacement {
  /** The number of GPUs over which processes are spread. 1: all use the first; 0: none was found. */
  readonly devices: number;
  /**
   * How processes are spread, or why they are not; null if there is nothing to choose. A sentence without a full stop.
   */
  readonly note: string | null;
  /** How to start `command` as process number `index` of the host, from 0: on GPU `index` modulo `devices`. */
  place(index: number, command: readonly string[]): PlacedCommand;
}

interface PlacedCommand {
  readonly command: readonly string[];
  /** Variables to add to the environment. */
  readonly environment: Readonly<Record<string, string>>;
}

/** The host's properties that a placement depends on. Tests replace them. */
interface Host {
  readonly cards: readonly Card[];
  readonly user: number;
  readonly group: number;
  /** Whether a command ends with status 0. */
  succeeds(command: readonly string[]): boolean;
  hasLayer(name: string): boolean;
}

/** A program of util-linux 2.36 or later (2020). Mounts on the host still appear in the namespace. */
const UNSHARE = ['unshare', '--mount', '--propagation', 'slave'] as const;

/** Finds out which of these methods this host allows; starts at most two short programs. */
export function placeOnDevices(host: Host = thisHost()): ProcessPlacement {
  const equal = equalCards(host.cards);
  const spread = equal.length;
  if (spread < 2) return { devices: spread, note: null, place: (_, command) => ({ command, environment: {} }) };
  const cards = `${spread} GPUs of one model (${equal[0].model})`;
  const others = (index: number): string[] =>
    host.cards.filter((card) => card !== equal[index % spread]).flatMap(({ files }) => files);
  for (const hide of [hideAsRoot, hideAsUser]) {
    if (!host.succeeds(hide(others(0), ['true'], host))) continue;
    return {
      devices: spread,
      note: `processes are spread over ${cards}: each sees one, in a mount namespace of its own`,
      place: (index, command) => ({ command: hide(others(index), command, host), environment: {} }),
    };
  }
  if (host.hasLayer(DEVICE_SELECT)) {
    return {
      devices: spread,
      note: `processes are spread over ${cards} by Mesa's device selection layer for Vulkan`,
      place: (index, command) => ({ command, environment: selecting(equal[index % spread]) }),
    };
  }
  return {
    devices: 1,
    note:
      `all processes use the first of ${cards}: spreading them needs root, user namespaces, or Mesa's device ` +
      'selection layer for Vulkan (Debian, Ubuntu: mesa-vulkan-drivers)',
    place: (_, command) => ({ command, environment: {} }),
  };
}

function thisHost(): Host {
  return {
    cards: listCards(),
    user: process.getuid?.() ?? 0,
    group: process.getgid?.() ?? 0,
    succeeds: ([program, ...rest]) => spawnSync(program, rest, { stdio: 'ignore' }).status === 0,
    hasLayer,
  };
}

/** Runs `command` in a mount namespace where `files` are /dev/null. */
function hideAsRoot(files: readonly string[], command: readonly string[]): string[] {
  return [...UNSHARE, 'sh', '-c', `${covering(files)} && exec "$@"`, 'sh', ...command];
}

/** The same without root: root of a user namespace mounts, and a second namespace gives the user's own number back. */
function hideAsUser(files: readonly string[], command: readonly string[], { user, group }: Host): string[] {
  const back = `unshare --user --map-user=${user} --map-group=${group}`;
  const script = `${covering(files)} && exec ${back} "$@"`;
  return [...UNSHARE, '--user', '--map-root-user', 'sh', '-c', script, 'sh', ...command];
}

/** Names in /dev need no quotes. */
const covering = (files: readonly string[]): string =>
  files.map((file) => `mount --bind /dev/null ${file}`).join(' && ');

/** The variables of Mesa's layer for a card, and for hiding the others ("Environment variables" in Mesa's manual). */
function selecting({ address }: Card): Record<string, string> {
  return { DRI_PRIME: `pci-${address.replace(/[:.]/g, '_')}`, MESA_VK_DEVICE_SELECT_FORCE_DEFAULT_DEVICE: '1' };
}
