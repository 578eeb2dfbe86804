/**
 * The reads, writes and file system requests of a sort on a cluster, and the time they take: arithmetic on the design
 * in docs/cluster.md. Measures nothing and opens nothing. Rates are parameters; each default names its source. Measured
 * values are in src/cluster/sizes.ts, which --explain uses too; assumptions are here.
 */
import {
  bytesBesideSlice,
  FILES_OF_TASKS,
  indexBytes,
  MERGE_RATES,
  mergeRateOf,
  RUN_LAYOUT,
  SORT_RATES,
  WAITS,
} from '../../../dist/cluster/sizes.js';

const KiB = 1024;
const MiB = 1024 * KiB;

/** Nodes: their rates of sorting, and the parameter that is the rate of their network. */
export const MACHINES = {
  gpu: { ...SORT_RATES.gpu, network: 'gpuNodeRate' },
  cpu: { ...SORT_RATES.cpu, network: 'nodeRate' },
};

export const DEFAULTS = {
  /**
   * Shares: the largest that a node sorts in memory; below the minimum, slices become short. Ranges: small enough that
   * losing one is cheap.
   */
  shareBytes: 16e9,
  leastShareBytes: 4e9,
  rangeBytes: 64e9,
  recordBytes: 100,
  ...RUN_LAYOUT,
  /**
   * The checkpoints that the client chooses splitters from; bytes of one in a task's heap; seconds to read one there.
   */
  mostSamples: 1 << 17,
  /** 1: samples begin elsewhere in each share. 0: at the same places. */
  shifted: 1,
  heapBytes: 370,
  parse: 1.5e-6,
  /** A heap that Node allows on any node. */
  heap: 2e9,
  /** Memory of a node for two rounds of windows, and the bounds of a window (src/plan/memory.ts, src/runs/keep.ts). */
  windowMemory: 32e9,
  leastWindow: 384 * KiB,
  mostWindow: 8 * MiB,
  /** The runs that one merge reads. More need another pass through the node's own disk. */
  fanIn: Number.POSITIVE_INFINITY,
  ...MERGE_RATES,
  /** Assumed: networks of 25 Gbit/s, with GPUs 100; a medium parallel file system; an NVMe disk in each node. */
  nodeRate: 2.5e9,
  gpuNodeRate: 10e9,
  totalRate: 50e9,
  localRate: 2e9,
  /** Assumed: operations on names a second in total, and the seconds of one. */
  metadataRate: 20e3,
  metadataLatency: 1e-3,
  /** Files that a task may have open: LimitNOFILE of slurmd's unit. Node raises its own limit to this. */
  descriptors: 131_072,
  ...WAITS,
  /** Seconds between two polls of the client. */
  poll: 1,
  /** Seconds of one comparison of two checkpoints, measured on two busy cores. */
  compare: 230e-9,
  /** Slurm's default MaxJobCount: tasks that may wait or run. */
  jobs: 10e3,
};

/** A machine sorts this much without temporary files: half of 128 GB. */
const IN_MEMORY = 64e9;

const EDGE_BLOCK = MiB;
const CLIENT_READS_AT_ONCE = 8;
const CLIENT_RATE = 1e9;
/** Names that a task or the client opens, makes, renames, makes durable or removes, apart from those in every run. */
const SHARE_TASK = { opens: 2, creates: FILES_OF_TASKS.share, renames: 2, fsyncs: 2, unlinks: 3 };
const RANGE_TASK = { opens: 3, creates: FILES_OF_TASKS.range, renames: 2, fsyncs: 3, unlinks: 3 };

/**
 * Shares and ranges of `bytes` on `nodes`: a whole number of each for every node, or as many as are large enough.
 * @param {number} bytes
 * @param {number} nodes
 * @param {typeof DEFAULTS} p
 */
export function planOf(bytes, nodes, p) {
  const most = Math.ceil(bytes / p.leastShareBytes);
  const multiple = (size) => Math.min(most, nodes * Math.ceil(bytes / (size * nodes)));
  const shares = multiple(p.shareBytes);
  const ranges = multiple(p.rangeBytes);
  return { bytes, nodes, shares, ranges, share: bytes / shares, range: bytes / ranges, slice: bytes / shares / ranges };
}

/** The bytes that one range task reads of one run. */
export function sliceReads(plan, p) {
  const window = Math.min(p.mostWindow, Math.max(p.leastWindow, p.windowMemory / 2 / Math.min(plan.shares, p.fanIn)));
  const text = plan.slice + p.blockBytes;
  return {
    bytes: plan.slice + bytesBesideSlice(plan.share, p),
    reads: 2 + 2 * 5 + Math.ceil(text / ((window * 2) / 3)),
  };
}

/** Samples of a share that the client chooses from: each n-th of those in its index. */
export function samplesOfShare({ shares, share }, p) {
  const all = Math.min(p.samples, Math.ceil(share / p.checkpointBytes));
  return Math.ceil(all / Math.ceil((all * shares) / Math.max(shares, p.mostSamples)));
}

/** Reads, writes and operations on names, in all and per task. */
export function requestsOf(plan, p) {
  const { bytes, nodes, shares, ranges, share, slice } = plan;
  const each = sliceReads(plan, p);
  // A share task reads its run back for the checkpoints, usually from memory.
  const read = bytes + shares * ranges * each.bytes;
  const written = 2 * bytes + shares * indexBytes(share, p);
  const busy = Math.min(nodes, shares);
  const sum = (name) => shares * SHARE_TASK[name] + ranges * RANGE_TASK[name];
  const sample = Math.min(p.samples, share / p.checkpointBytes);
  return {
    read,
    written,
    readANode: read / busy,
    writtenANode: written / busy,
    extra: each.bytes / slice - 1,
    readsPerRange: shares * each.reads,
    meanRead: each.bytes / each.reads,
    files: sum('creates'),
    // The client opens each done file, and the edges of each range.
    opens: shares * (SHARE_TASK.opens + 1) + ranges * (RANGE_TASK.opens + opensOfRuns(shares, each, p) + 2),
    otherNames: sum('creates') + sum('renames') + sum('fsyncs') + sum('unlinks') + shares + ranges,
    disk: 3 * bytes,
    // The heads of the chosen checkpoints keep all bytes that were read of the samples in memory.
    clientBytes: shares * (sample * p.entryBytes + samplesOfShare(plan, p) * p.heapBytes),
    rangeHeap: shares * sample * p.heapBytes,
    windows: 2 * Math.min(shares, p.fanIn) * p.leastWindow,
  };
}

/** A range task opens each run and its index; for each read again, if it may not have all runs open. */
const opensOfRuns = (shares, { reads }, p) => shares * (openFiles(shares) <= p.descriptors ? 2 : reads);
const openFiles = (shares) => shares + 32;

/** How often a range is merged: once, and again for each power of the fan-in. */
export function mergePasses({ shares }, { fanIn }) {
  let passes = 1;
  for (let runs = shares; runs > fanIn; runs = Math.ceil(runs / fanIn)) passes++;
  return passes;
}

function mergeSeconds(plan, p) {
  const passes = mergePasses(plan, p);
  const runs = Math.min(plan.shares, p.fanIn);
  const rate = mergeRateOf(runs, p);
  return (passes * plan.range) / rate + ((passes - 1) * 2 * plan.range) / p.localRate;
}

/** The seconds of each part of a sort. `largest`: the largest range over the mean. */
export function timesOf(plan, machine, p, largest = 1) {
  const { bytes, nodes, shares, ranges } = plan;
  const requests = requestsOf(plan, p);
  const nodeRate = p[machine.network];
  const waves = (tasks) => Math.max(1, tasks / nodes);
  const shareTask = Math.max(plan.share / machine.sortRate, (2 * plan.share) / nodeRate) + p.taskStart;
  const sharePhase = Math.max(waves(shares) * shareTask, (2 * bytes) / p.totalRate);
  const rangeRead = (requests.read - bytes) / ranges;
  // A node reads and writes at the same time.
  const cutting = shares * Math.min(p.samples, plan.share / p.checkpointBytes) * p.parse;
  const rangeTask = Math.max(mergeSeconds(plan, p), rangeRead / nodeRate) + cutting + p.taskStart;
  const bounds = {
    nodes: (waves(ranges) - 1 + largest) * rangeTask,
    storage: requests.read / p.totalRate,
    opens: requests.opens / p.metadataRate,
  };
  const rangePhase = Math.max(...Object.values(bounds));
  const bound = Object.keys(bounds).find((name) => bounds[name] === rangePhase);
  const client = clientSeconds(plan, p);
  const waiting = 2 * p.phaseWait;
  const polls = (sharePhase + rangePhase) / p.poll;
  const total = sharePhase + rangePhase + client + waiting;
  return { sharePhase, rangePhase, bound, bounds, client, waiting, polls, total };
}

/** The seconds of one such machine for the same files. */
export function aloneSeconds(bytes, machine, p) {
  const rate = bytes <= IN_MEMORY ? machine.sortRate : machine.spillingRate;
  return Math.max(bytes / rate, (2 * bytes) / p[machine.network]) + p.taskStart;
}

/** The smallest input that `nodes` nodes sort faster than one machine; each node has a share, however small. */
export function leastDistributed(nodes, machine, p) {
  const own = { ...p, leastShareBytes: 1 };
  let [low, high] = [1e6, 1e13];
  while (high / low > 1.01) {
    const middle = Math.sqrt(low * high);
    const { total } = timesOf(planOf(middle, nodes, own), machine, own);
    if (total < aloneSeconds(middle, machine, p)) high = middle;
    else low = middle;
  }
  return high;
}

/** Reading indexes, choosing splitters; reading done files and edges, writing the blocks that two ranges share. */
function clientSeconds(plan, p) {
  const { shares, ranges, share } = plan;
  const chosen = shares * samplesOfShare(plan, p);
  const read = shares * Math.min(p.samples, share / p.checkpointBytes);
  const names = (2 * shares + 3 * ranges) * p.metadataLatency;
  const bytes = read * p.entryBytes + 2 * ranges * EDGE_BLOCK;
  return names / CLIENT_READS_AT_ONCE + bytes / CLIENT_RATE + read * p.parse + chosen * Math.log2(chosen) * p.compare;
}

/**
 * The use of each resource as a multiple of its limit, the largest first. Above 1 the limit is exceeded.
 * @returns {{ name: string, use: number }[]}
 */
export function limitsOf(plan, machine, p, largest = 1) {
  const requests = requestsOf(plan, p);
  const { bounds, waiting, client, sharePhase, rangePhase } = timesOf(plan, machine, p, largest);
  return [
    { name: 'short slices', use: requests.extra },
    { name: 'descriptors', use: openFiles(plan.shares) / p.descriptors },
    { name: 'fan-in', use: plan.shares / p.fanIn },
    { name: 'memory of windows', use: requests.windows / p.windowMemory },
    { name: "the client's memory", use: requests.clientBytes / 1e9 },
    { name: 'heap of a range task', use: requests.rangeHeap / p.heap },
    { name: 'opens', use: bounds.opens / Math.max(bounds.nodes, bounds.storage) },
    { name: 'storage', use: (Math.min(plan.nodes, plan.ranges) * p[machine.network]) / p.totalRate },
    { name: 'uneven ranges', use: largest - 1 },
    { name: 'waiting', use: (waiting + client) / (sharePhase + rangePhase) },
    { name: 'jobs', use: Math.max(plan.shares, plan.ranges) / p.jobs },
    { name: 'idle nodes', use: plan.nodes / plan.shares - 1 },
  ].sort((a, b) => b.use - a.use);
}
