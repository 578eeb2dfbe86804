/**
 * Questions to runs in device memory (where records are, how they begin). A merge asks all its runs the same question
 * at once. Questions asked in one turn of the event loop form one submission with one read-back, so asking a hundred
 * runs takes as long as asking one. Knows nothing of records.
 */

import type { Gpu } from '../device/device.js';
import {
  type Binding,
  type Bindings,
  type Immediates,
  type Kernel,
  readBack,
  send,
  submitPass,
} from '../device/dispatch.js';
import type { DevicePool } from '../device/pool.js';

/** Runs a kernel. Its bindings are `inputs`, `data` and the answer. */
interface KernelQuestion {
  readonly kernel: Kernel;
  readonly inputs: Bindings;
  /** Arrays to upload, by the names of their bindings. An array that several questions share is uploaded once. */
  readonly data: Readonly<Record<string, Uint32Array<ArrayBuffer>>>;
  /** The name of the binding that receives the answer. */
  readonly answer: string;
  readonly immediates: Immediates;
  readonly workgroups: number;
  readonly answerBytes: number;
}

/** Reads bytes of buffers. Offsets and lengths are multiples of 4. */
interface CopyQuestion {
  readonly copies: readonly { readonly buffer: GPUBuffer; readonly offset: number; readonly bytes: number }[];
  readonly answerBytes: number;
}

type Question = KernelQuestion | CopyQuestion;
interface Asked {
  readonly question: Question;
  resolve(answer: Uint8Array): void;
  reject(error: unknown): void;
}

/** Maximum bytes of data and answers on the device at once; a single question may exceed it. */
const BATCH_BYTES = 16 << 20;
/** Alignment of binding offsets, in bytes. */
const ALIGNMENT = 256;

export class Questions {
  readonly gpu: Gpu;
  private readonly pool: DevicePool;
  private asked: Asked[] = [];
  private turn: Promise<void> = Promise.resolve();

  constructor(gpu: Gpu, pool: DevicePool) {
    this.gpu = gpu;
    this.pool = pool;
  }

  /** The bytes of the answer. */
  ask(question: Question): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      this.asked.push({ question, resolve, reject });
      if (this.asked.length === 1) this.turn = this.turn.then(() => this.answerAll());
    });
  }

  /** Never rejects: each failure rejects the promises of its questions. */
  private async answerAll(): Promise<void> {
    const all = this.asked;
    this.asked = [];
    for (let first = 0; first < all.length; ) {
      const layout = new BatchLayout();
      let end = first;
      while (end < all.length && (end === first || layout.bytesWith(all[end].question) <= BATCH_BYTES))
        layout.add(all[end++].question);
      const batch = all.slice(first, end);
      try {
        const answers = await this.answer(
          batch.map(({ question }) => question),
          layout,
        );
        batch.forEach(({ resolve }, i) => {
          resolve(answers[i]);
        });
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
      first = end;
    }
  }

  private async answer(questions: readonly Question[], layout: BatchLayout): Promise<Uint8Array[]> {
    const { gpu, pool } = this;
    const data = await pool.take(Math.max(layout.dataBytes, 16), 'questions');
    const answers = await pool.take(layout.answerBytes, 'answers');
    try {
      for (const [array, offset] of layout.data) send(gpu, data, offset, array);
      submitPass(
        gpu,
        'combine',
        'questions',
        (pass) => {
          questions.forEach((question, i) => {
            if (!('kernel' in question)) return;
            const bindings: Record<string, Binding> = {
              ...question.inputs,
              [question.answer]: { buffer: answers, offset: layout.answers[i], size: question.answerBytes },
            };
            for (const [name, array] of Object.entries(question.data))
              bindings[name] = { buffer: data, offset: layout.data.get(array)!, size: array.byteLength };
            question.kernel.dispatch(pass, bindings, question.immediates, question.workgroups);
          });
        },
        (encoder) => {
          questions.forEach((question, i) => {
            if (!('copies' in question)) return;
            let to = layout.answers[i];
            for (const { buffer, offset, bytes } of question.copies) {
              encoder.copyBufferToBuffer(buffer, offset, answers, to, bytes);
              to += bytes;
            }
          });
        },
      );
      const bytes = await readBack(gpu, answers, 0, layout.answerBytes);
      return questions.map(({ answerBytes }, i) => bytes.slice(layout.answers[i], layout.answers[i] + answerBytes));
    } finally {
      pool.give(data, answers);
    }
  }
}

/** The offsets of a batch's data and answers in their buffers. */
class BatchLayout {
  readonly data = new Map<Uint32Array<ArrayBuffer>, number>();
  readonly answers: number[] = [];
  dataBytes = 0;
  answerBytes = 0;

  bytesWith(question: Question): number {
    const more =
      'data' in question
        ? Object.values(question.data).reduce((sum, array) => sum + (this.data.has(array) ? 0 : array.byteLength), 0)
        : 0;
    return this.dataBytes + this.answerBytes + more + question.answerBytes;
  }

  add(question: Question): void {
    for (const array of 'data' in question ? Object.values(question.data) : []) {
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
