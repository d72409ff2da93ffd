/** What this process knows of one command: the messages of its agent, and the requests that follow it. */
import type { Ack, EndedJob, JobState, Reply } from '../../shared/agent/messages.ts';
import { deferred } from '../../shared/async.ts';
import type { AgentId, JobId } from '../../shared/identity.ts';
import type { Tool } from '../../shared/tools/list.ts';

/** A report on a running command. */
export type JobEvent =
  | { type: 'accepted'; state: Ack['state']; position: number | null }
  | { type: 'output'; at: number; text: string }
  | { type: 'progress'; phase: string; percent: number | null };

/** Characters of output that are kept for later followers; the result has the whole output. */
const KEEP_CHARACTERS = 1_000_000;

export class JobTracker {
  readonly id: JobId;
  readonly agent: AgentId;
  readonly tool: Tool;
  /** The state in its row when this process began to follow it. */
  readonly recorded: JobState;
  readonly #acknowledgement = deferred<void>();
  readonly #result = deferred<EndedJob>();
  /** Resolves with the first message of the agent about the command. */
  readonly acknowledged = this.#acknowledgement.promise;
  /** Resolves when the result arrives here. */
  readonly ended = this.#result.promise;
  /** Requests that follow the command. */
  followers = 0;
  /** Whether output is missing before a piece that has arrived. */
  hasGap = false;
  /** Whether the result has arrived here. */
  hasEnded = false;
  #accepted: Extract<JobEvent, { type: 'accepted' }> | null = null;
  #progress: Extract<JobEvent, { type: 'progress' }> | null = null;
  #text = '';
  #wake: (() => void)[] = [];

  constructor({ id, agent, tool, state = 'queued' }: { id: JobId; agent: AgentId; tool: Tool; state?: JobState }) {
    this.id = id;
    this.agent = agent;
    this.tool = tool;
    this.recorded = state;
  }

  /** Whether the tool runs, according to the last message of the agent. */
  get isRunning(): boolean {
    return this.#accepted?.state === 'running';
  }

  /** Output from the beginning, without gaps. */
  get text(): string {
    return this.#text;
  }

  /** Handles a message of the agent about the running command. Idempotent, and independent of the order. */
  take(reply: Reply): void {
    switch (reply.t) {
      case 'ack':
        this.#accepted = { type: 'accepted', state: reply.state, position: reply.position ?? null };
        break;
      case 'progress':
        this.#progress = { type: 'progress', phase: reply.phase, percent: reply.percent };
        break;
      case 'output':
        this.#append(reply.at, reply.text);
        break;
    }
    this.#notify();
  }

  /** Records how it ended; only the first call counts. */
  end(ended: EndedJob): void {
    this.hasEnded = true;
    // A short command that has run was accepted, even if its agent sends no message before the result.
    if (ended.startedAt !== null) this.#accepted ??= { type: 'accepted', state: 'finished', position: null };
    this.#result.resolve(ended);
    this.#notify();
  }

  #notify(): void {
    this.#acknowledgement.resolve();
    for (const wake of this.#wake.splice(0)) wake();
  }

  #append(at: number, text: string): void {
    this.hasGap = at > this.#text.length;
    if (this.hasGap || at + text.length <= this.#text.length || this.#text.length >= KEEP_CHARACTERS) return;
    this.#text += text.slice(this.#text.length - at);
  }

  /** What happens from now on, with the output from a position on; ends when `until` is settled. */
  async *events(from: number, until: Promise<unknown>): AsyncGenerator<JobEvent> {
    let sent = from;
    let accepted: JobEvent | null = null;
    let progress: JobEvent | null = null;
    let over = false;
    const end = Promise.allSettled([until]).then(() => {
      over = true;
    });
    for (;;) {
      if (this.#accepted !== null && this.#accepted !== accepted) {
        accepted = this.#accepted;
        yield accepted;
      }
      if (this.#text.length > sent) {
        const at = sent;
        sent = this.#text.length;
        yield { type: 'output', at, text: this.#text.slice(at) };
      }
      if (this.#progress !== null && this.#progress !== progress) {
        progress = this.#progress;
        yield progress;
      }
      if (over) return;
      const isNew = this.#accepted !== accepted || this.#text.length > sent || this.#progress !== progress;
      if (!isNew) await Promise.race([end, new Promise<void>((resolve) => this.#wake.push(resolve))]);
    }
  }
}
