/** A Slurm cluster of virtual nodes for tests (test/cluster/slurm-cluster.sh), or the reason why it cannot run here. */
import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const SCRIPT = fileURLToPath(new URL('slurm-cluster.sh', import.meta.url));
const run = promisify(execFile);

/** The reason why no cluster can be started; null if one can. `.ci/run` installs Slurm. */
export function whyNoSlurm(): string | null {
  if (process.getuid?.() !== 0) return 'left out: only root can start virtual nodes';
  const missing = ['slurmctld', 'slurmd', 'sbatch', 'munged'].filter((program) => spawnSync('which', [program]).status);
  return missing.length === 0 ? null : `left out: ${missing.join(', ')} not installed`;
}

export interface RunningTask {
  readonly node: string;
  readonly job: string;
  readonly index: number;
}

export class SlurmCluster {
  readonly directory: string;

  private constructor(directory: string) {
    this.directory = directory;
  }

  /** Starts nodes n1, n2, ... and makes this cluster that of the test's process. */
  static async start(nodes: number): Promise<SlurmCluster> {
    const cluster = new SlurmCluster(mkdtempSync(join(process.env.GPUSORT_TEST_TMP ?? tmpdir(), 'slurm-')));
    await cluster.do('start', String(nodes));
    process.env.SLURM_CONF = join(cluster.directory, 'slurm.conf');
    return cluster;
  }

  /** Kills all tasks and daemons. */
  async stop(): Promise<void> {
    await this.do('stop');
    delete process.env.SLURM_CONF;
    rmSync(this.directory, { recursive: true, force: true });
  }

  async tasks(): Promise<RunningTask[]> {
    const lines = (await this.do('tasks')).split('\n').filter((line) => line !== '');
    return lines.map((line) => {
      const [node, job, index] = line.split(' ');
      return { node, job, index: Number(index) };
    });
  }

  /** `kill -9` for the node's daemon and all tasks on it. */
  async killNode(node: string): Promise<void> {
    await this.do('kill-node', node);
  }

  async startNode(node: string): Promise<void> {
    await this.do('start-node', node);
  }

  /** Stops a node's processes: the node is lost, but its tasks live on. */
  async freezeNode(node: string): Promise<void> {
    await this.do('freeze-node', node);
  }

  async thawNode(node: string): Promise<void> {
    await this.do('thaw-node', node);
  }

  async stopController(): Promise<void> {
    await this.do('stop-controller');
  }

  async startController(): Promise<void> {
    await this.do('start-controller');
  }

  private async do(verb: string, ...words: readonly string[]): Promise<string> {
    const { stdout } = await run(SCRIPT, [verb, this.directory, ...words], { timeout: 60_000 });
    return stdout;
  }
}
