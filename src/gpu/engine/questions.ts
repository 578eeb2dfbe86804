/**
 * Questions to runs in device memory (where records are, what they begin with): a merge asks all its runs the same at once. What is
 * asked in one turn of the event loop goes to the device in one submission, and all answers come back in one read, so that the
 * questions to a hundred runs cost as much time as those to one. Knows nothing of records.
 */
import { dispatch, readBack, send, submitPass, type Binding } from '../device/dispatch.js';
import type { Gpu } from '../device/device.js';
import type { KernelConstants } from '../kernels.js';
import type { BufferPool } from '../device/pool.js';

/** A kernel is asked: its bindings are `inputs`, then each of `data`, then the answer. */
export interface KernelQuestion {
  readonly kernel: string;
  readonly constants: KernelConstants;
  readonly inputs: readonly Binding[];
  /** Arrays that go to the device; one that several questions share goes once. */
  readonly data: readonly Uint32Array<ArrayBuffer>[];
  readonly immediates: readonly number[];
  readonly workgroups: number;
  readonly answerBytes: number;
}

/** Bytes of a buffer are asked for; offsets and lengths are multiples of 4. */
export interface CopyQuestion {
  readonly copies: readonly { readonly buffer: GPUBuffer; readonly offset: number; readonly bytes: number }[];
  readonly answerBytes: number;
}

type Question = KernelQuestion | CopyQuestion;
interface Asked { readonly question: Question; resolve(answer: Uint8Array): void; reject(error: unknown): void }

/** Bytes of data and answers that are on the device at once, a single question apart. */
const BATCH_BYTES = 16 << 20;
/** Bindings begin at multiples of this. */
const ALIGNMENT = 256;

export class Questions {
  readonly gpu: Gpu;
  private readonly pool: BufferPool;
  private asked: Asked[] = [];
  private turn: Promise<void> = Promise.resolve();

  constructor(gpu: Gpu, pool: BufferPool) {
    this.gpu = gpu;
    this.pool = pool;
  }

  /** The answer's bytes. */
  ask(question: Question): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      this.asked.push({ question, resolve, reject });
      if (this.asked.length === 1) this.turn = this.turn.then(() => this.answerAll());
    });
  }

  /** Never rejects: failures are told to those who asked. */
  private async answerAll(): Promise<void> {
    const all = this.asked;
    this.asked = [];
    for (let first = 0; first < all.length;) {
      const layout = new Layout();
      let end = first;
      while (end < all.length && (end === first || layout.bytesWith(all[end]!.question) <= BATCH_BYTES)) layout.add(all[end++]!.question);
      const batch = all.slice(first, end);
      try {
        const answers = await this.answer(batch.map(({ question }) => question), layout);
        batch.forEach(({ resolve }, i) => { resolve(answers[i]!); });
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
      first = end;
    }
  }

  private async answer(questions: readonly Question[], layout: Layout): Promise<Uint8Array[]> {
    const { gpu, pool } = this;
    const data = await pool.take(Math.max(layout.dataBytes, 16), 'questions');
    const answers = await pool.take(layout.answerBytes, 'answers');
    try {
      for (const [array, offset] of layout.data) send(gpu, data, offset, array);
      submitPass(gpu, 'combine', 'questions', (pass) => {
        questions.forEach((question, i) => {
          if (!('kernel' in question)) return;
          const bindings = [
            ...question.inputs,
            ...question.data.map((array) => ({ buffer: data, offset: layout.data.get(array)!, size: array.byteLength })),
            { buffer: answers, offset: layout.answers[i]!, size: question.answerBytes },
          ];
          dispatch(gpu, pass, question.kernel, question.constants, bindings, question.immediates, question.workgroups);
        });
      }, (encoder) => {
        questions.forEach((question, i) => {
          if (!('copies' in question)) return;
          let to = layout.answers[i]!;
          for (const { buffer, offset, bytes } of question.copies) {
            encoder.copyBufferToBuffer(buffer, offset, answers, to, bytes);
            to += bytes;
          }
        });
      });
      const bytes = await readBack(gpu, answers, 0, layout.answerBytes);
      return questions.map(({ answerBytes }, i) => bytes.slice(layout.answers[i]!, layout.answers[i]! + answerBytes));
    } finally {
      pool.give(data, answers);
    }
  }
}

/** Where the data and the answers of a batch lie in their buffers. */
class Layout {
  readonly data = new Map<Uint32Array<ArrayBuffer>, number>();
  readonly answers: number[] = [];
  dataBytes = 0;
  answerBytes = 0;

  bytesWith(question: Question): number {
    const more = 'data' in question ? question.data.reduce((sum, array) => sum + (this.data.has(array) ? 0 : array.byteLength), 0) : 0;
    return this.dataBytes + this.answerBytes + more + question.answerBytes;
  }

  add(question: Question): void {
    for (const array of 'data' in question ? question.data : []) {
      if (this.data.has(array)) continue;
      this.data.set(array, this.dataBytes);
      this.dataBytes = aligned(this.dataBytes + array.byteLength);
    }
    this.answers.push(this.answerBytes);
    this.answerBytes = aligned(this.answerBytes + question.answerBytes);
  }
}

function aligned(bytes: number): number {
  return Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;
}
