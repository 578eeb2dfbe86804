/**
 * Kernels from kernels/*.wgsl: composition, compilation and caching of pipelines. A kernel is plain WGSL. Its first
 * line may name files of kernels/shared: `//! needs: launch, key-{KEY_WORDS}`. A name in braces stands for the value of
 * that constant, so that one kernel serves several key widths. Shared files may name others. WGSL's module scope has no
 * order, so composition is concatenation: directives, constants from the host, each shared file once, the kernel.
 * Compile errors are mapped back to file and line.
 */
import { readInstalled } from '../installed.js';
import { GpusortError } from '../report/errors.js';

/** Constants by name: `const` values, which can size arrays, and `override` values for the rest. */
export interface KernelConstants {
  /** Prepended as `const NAME = VALUEu;`. */
  readonly consts?: Readonly<Record<string, number>>;
  /** Pipeline-overridable constants; booleans are 0 and 1. */
  readonly overrides?: Readonly<Record<string, number>>;
}

interface Part {
  readonly file: string;
  readonly lines: readonly string[];
}

const ROOT = new URL('../../kernels/', import.meta.url);
const NEEDS = /^\/\/! needs: (.+)$/;

/** Adds the files that a kernel consists of to `seen`: shared files first, each once. */
function parts(file: string, consts: Readonly<Record<string, number>>, seen: Map<string, Part>): void {
  if (seen.has(file)) return;
  const lines = readInstalled(new URL(file, ROOT)).toString('utf8').split('\n');
  const needs = NEEDS.exec(lines[0])?.[1] ?? '';
  for (const name of needs
    .split(',')
    .map((s) => s.trim())
    .filter((s) => s !== '')) {
    parts(`shared/${name.replace(/\{(\w+)\}/g, (_, constant: string) => String(consts[constant]))}.wgsl`, consts, seen);
  }
  seen.set(file, { file, lines });
}

interface Composed {
  readonly code: string;
  origin(line: number): string;
}

/**
 * Joins a kernel (a path under kernels/ without its extension) with the files it needs. `origin` maps a line number of
 * the result (from 1) to `file:line`.
 */
export function composeKernel(name: string, consts: Readonly<Record<string, number>> = {}): Composed {
  const seen = new Map<string, Part>();
  parts(`${name}.wgsl`, consts, seen);
  const directives: string[] = [];
  const body: string[] = [];
  const origins: string[] = [];
  for (const { file, lines } of seen.values()) {
    lines.forEach((line, i) => {
      if (/^(enable|requires|diagnostic)\b/.test(line)) {
        if (!directives.includes(line)) directives.push(line);
        line = '';
      }
      body.push(line);
      origins.push(`kernels/${file}:${i + 1}`);
    });
  }
  const head = [...directives, ...Object.entries(consts).map(([k, v]) => `const ${k} = ${v}u;`)];
  return {
    code: [...head, ...body].join('\n'),
    origin: (line) =>
      line <= head.length ? `kernels/${name}.wgsl (constants)` : (origins[line - head.length - 1] ?? name),
  };
}

/** The compiled pipelines of one device. */
export class Kernels {
  private readonly device: GPUDevice;
  private readonly pipelines = new Map<string, Promise<GPUComputePipeline>>();
  private readonly ready = new Map<string, GPUComputePipeline>();
  /** Resolves when the next kernel may be parsed: parsing takes 1 to 2 ms, during which this thread starts no read. */
  private turn: Promise<void> = Promise.resolve();

  constructor(device: GPUDevice) {
    this.device = device;
  }

  /** Starts compiling the pipeline of kernels/NAME.wgsl, or waits for it. The entry point is `main`. */
  load(name: string, constants: KernelConstants = {}): Promise<GPUComputePipeline> {
    const id = pipelineId(name, constants);
    let promise = this.pipelines.get(id);
    if (promise === undefined) {
      promise = this.compile(name, constants).then((pipeline) => {
        this.ready.set(id, pipeline);
        return pipeline;
      });
      this.pipelines.set(id, promise);
    }
    return promise;
  }

  /** A pipeline that `load` has finished. Throws if it was not loaded. */
  get(name: string, constants: KernelConstants = {}): GPUComputePipeline {
    const pipeline = this.ready.get(pipelineId(name, constants));
    if (pipeline === undefined) throw new Error(`kernel ${name} was not loaded`);
    return pipeline;
  }

  private async compile(name: string, constants: KernelConstants): Promise<GPUComputePipeline> {
    const turn = this.turn;
    this.turn = turn.then(
      () =>
        new Promise((resolve) => {
          setImmediate(resolve);
        }),
    );
    await turn;
    const composed = composeKernel(name, constants.consts);
    // The scope drops the module's validation errors: creating the pipeline reports them too.
    this.device.pushErrorScope('validation');
    const module = this.device.createShaderModule({ label: name, code: composed.code });
    this.device.popErrorScope().catch(() => {
      /* lost device: whoever waits for it reports it */
    });
    try {
      return await this.device.createComputePipelineAsync({
        label: name,
        layout: 'auto',
        compute: { module, entryPoint: 'main', constants: { ...constants.overrides } },
      });
    } catch (error) {
      const info = await module.getCompilationInfo();
      const messages = info.messages
        .filter((m) => m.type === 'error')
        .map((m) => `${composed.origin(m.lineNum)}:${m.linePos}: ${m.message}`);
      throw new GpusortError('device-lost', `cannot compile kernel ${name}: ${messages.join('; ') || String(error)}`, {
        cause: error,
      });
    }
  }
}

function pipelineId(name: string, constants: KernelConstants): string {
  return JSON.stringify([name, constants.consts ?? {}, constants.overrides ?? {}]);
}
