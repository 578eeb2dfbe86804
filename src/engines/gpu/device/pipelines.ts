/**
 * Compiles kernels and keeps their pipelines. Compile errors are mapped back to file and line.
 */
import { GpusortError, internalError } from '../../../system/errors.js';
import { quiet } from '../../../system/promises.js';
import { composeKernel, type Declarations, type KernelConstants, readDeclarations } from './compose.js';
import { COMPUTE, type UniformImmediates } from './uniform-immediates.js';

/** A compiled kernel, ready to be dispatched. */
export interface CompiledKernel extends Declarations {
  /** Its name and its variants, for --stats. */
  readonly label: string;
  readonly pipeline: GPUComputePipeline;
  /** The layout of group 0, kept because getBindGroupLayout creates a new object on every call. */
  readonly layout: GPUBindGroupLayout;
}

/** The compiled pipelines of one device. */
export class Pipelines {
  private readonly device: GPUDevice;
  private readonly uniforms: UniformImmediates | null;
  private readonly pipelines = new Map<string, Promise<CompiledKernel>>();
  private readonly ready = new Map<string, CompiledKernel>();
  /** Resolves when the next kernel may be parsed: parsing takes 1 to 2 ms, during which this thread starts no read. */
  private turn: Promise<void> = Promise.resolve();

  constructor(device: GPUDevice, uniforms: UniformImmediates | null) {
    this.device = device;
    this.uniforms = uniforms;
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
    this.turn = turn.then(nextTurn);
    await turn;
    const composed = composeKernel(name, constants, this.uniforms !== null);
    const declarations = declarationsOf(name, composed.code);
    // Only a layout of our own can have dynamic offsets.
    const own = this.uniforms === null ? null : this.layoutOf(name, declarations);
    // The scope drops the module's validation errors: creating the pipeline reports them too.
    this.device.pushErrorScope('validation');
    const module = this.device.createShaderModule({ label: name, code: composed.code });
    // If the device is lost, the code that waits for it reports that.
    quiet(this.device.popErrorScope());
    let pipeline: GPUComputePipeline;
    try {
      pipeline = await this.device.createComputePipelineAsync({
        label: name,
        layout: own === null ? 'auto' : own.pipeline,
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
    const layout = own?.bindings ?? pipeline.getBindGroupLayout(0);
    return { label: composed.label, pipeline, layout, ...declarations };
  }

  private layoutOf(
    label: string,
    { bindings, readOnly, immediates }: Declarations,
  ): { readonly bindings: GPUBindGroupLayout; readonly pipeline: GPUPipelineLayout } {
    const own = this.device.createBindGroupLayout({
      label,
      entries: Array.from(bindings, ([name, binding]) => ({
        binding,
        visibility: COMPUTE,
        buffer: { type: readOnly.has(name) ? 'read-only-storage' : 'storage' },
      })),
    });
    const bindGroupLayouts = immediates.length === 0 ? [own] : [own, this.uniforms!.layout];
    return { bindings: own, pipeline: this.device.createPipelineLayout({ label, bindGroupLayouts }) };
  }
}

/** In a browser another process parses, so there is no turn to wait for. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    if (typeof setImmediate === 'function') setImmediate(resolve);
    else resolve();
  });
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
