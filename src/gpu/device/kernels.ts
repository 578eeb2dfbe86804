/**
 * Kernels from kernels/wgsl/: composition, compilation and caching of pipelines. A kernel is plain WGSL. Its first line
 * may name files that it includes: `//! needs: shared/launch, keys/key-{KEY_WORDS}`. A name in braces is replaced by
 * that variant, or by that constant as a word, so that one kernel serves several key widths. Included files may include
 * others. WGSL's module scope has no order, so composition is concatenation: directives, constants from the host, each
 * included file once, the kernel. Compile errors are mapped back to file and line.
 */
import { readInstalled } from '../../installed.js';
import { GpusortError, internalError } from '../../report/errors.js';
import { type Declarations, readDeclarations } from './declarations.js';

/** Constants by name: `const` values, which can size arrays, `override` values for the rest, and included files. */
export interface KernelConstants {
  /** Prepended as `const NAME = VALUEu;`. */
  readonly consts?: Readonly<Record<string, number>>;
  /** Pipeline-overridable constants; booleans are 0 and 1. */
  readonly overrides?: Readonly<Record<string, number>>;
  /** Parts of the names of included files: `{NAME}` in `needs`. */
  readonly variants?: Readonly<Record<string, string>>;
}

interface Part {
  readonly file: string;
  readonly lines: readonly string[];
}

const NEEDS = /^\/\/! needs: (.+)$/;

/** How file names spell the value of a constant. */
const WORDS: readonly string[] = ['none', 'one', 'two', 'three', 'four'];

/** Adds the files that a kernel consists of to `seen`: included files first, each once. */
function parts(file: string, constants: KernelConstants, seen: Map<string, Part>): void {
  if (seen.has(file)) return;
  const spelled = (name: string): string => constants.variants?.[name] ?? WORDS[constants.consts?.[name] ?? -1];
  const lines = readInstalled(`kernels/wgsl/${file}`).toString('utf8').split('\n');
  const needs = NEEDS.exec(lines[0])?.[1] ?? '';
  for (const name of needs
    .split(',')
    .map((s) => s.trim())
    .filter((s) => s !== '')) {
    parts(`${name.replace(/\{(\w+)\}/g, (_, constant: string) => spelled(constant))}.wgsl`, constants, seen);
  }
  seen.set(file, { file, lines });
}

interface Composed {
  readonly code: string;
  origin(line: number): string;
}

/**
 * Joins a kernel (a path under kernels/wgsl/ without its extension) with the files it includes. `origin` maps a line
 * number of the result (from 1) to `file:line`.
 */
export function composeKernel(name: string, constants: KernelConstants = {}): Composed {
  const seen = new Map<string, Part>();
  parts(`${name}.wgsl`, constants, seen);
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
      origins.push(`kernels/wgsl/${file}:${i + 1}`);
    });
  }
  const head = [...directives, ...Object.entries(constants.consts ?? {}).map(([k, v]) => `const ${k} = ${v}u;`)];
  return {
    code: [...head, ...body].join('\n'),
    origin: (line) =>
      line <= head.length ? `kernels/wgsl/${name}.wgsl (constants)` : (origins[line - head.length - 1] ?? name),
  };
}

/** A compiled kernel, ready to be dispatched. */
export interface CompiledKernel extends Declarations {
  readonly pipeline: GPUComputePipeline;
  /** getBindGroupLayout creates a new object on every call. */
  readonly layout: GPUBindGroupLayout;
}

/** The compiled pipelines of one device. */
export class Kernels {
  private readonly device: GPUDevice;
  private readonly pipelines = new Map<string, Promise<CompiledKernel>>();
  private readonly ready = new Map<string, CompiledKernel>();
  /** Resolves when the next kernel may be parsed: parsing takes 1 to 2 ms, during which this thread starts no read. */
  private turn: Promise<void> = Promise.resolve();

  constructor(device: GPUDevice) {
    this.device = device;
  }

  /** Starts compiling the pipeline of kernels/wgsl/NAME.wgsl, or waits for it. The entry point is `main`. */
  load(name: string, constants: KernelConstants = {}): Promise<CompiledKernel> {
    const id = pipelineId(name, constants);
    let promise = this.pipelines.get(id);
    if (promise === undefined) {
      promise = this.compile(name, constants).then((kernel) => {
        this.ready.set(id, kernel);
        return kernel;
      });
      this.pipelines.set(id, promise);
    }
    return promise;
  }

  /** A kernel that `load` has finished. Throws `internal` if it was not loaded. */
  get(name: string, constants: KernelConstants = {}): CompiledKernel {
    const kernel = this.ready.get(pipelineId(name, constants));
    if (kernel === undefined) throw internalError(`kernel ${name} was not loaded`);
    return kernel;
  }

  private async compile(name: string, constants: KernelConstants): Promise<CompiledKernel> {
    const turn = this.turn;
    this.turn = turn.then(
      () =>
        new Promise((resolve) => {
          setImmediate(resolve);
        }),
    );
    await turn;
    const composed = composeKernel(name, constants);
    // The scope drops the module's validation errors: creating the pipeline reports them too.
    this.device.pushErrorScope('validation');
    const module = this.device.createShaderModule({ label: name, code: composed.code });
    this.device.popErrorScope().catch(() => {
      /* lost device: whoever waits for it reports it */
    });
    let pipeline: GPUComputePipeline;
    try {
      pipeline = await this.device.createComputePipelineAsync({
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
    return { pipeline, layout: pipeline.getBindGroupLayout(0), ...declarationsOf(name, composed.code) };
  }
}

function declarationsOf(name: string, code: string): Declarations {
  try {
    return readDeclarations(code);
  } catch (error) {
    throw internalError(`kernel ${name}: ${(error as Error).message}`);
  }
}

function pipelineId(name: string, constants: KernelConstants): string {
  return JSON.stringify([name, constants.consts ?? {}, constants.overrides ?? {}, constants.variants ?? {}]);
}
