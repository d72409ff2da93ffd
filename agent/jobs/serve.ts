/**
 * Handles each message about a request, in order. Requests are idempotent: each id has at most one run and one result,
 * however often the request arrives. An accepted request is in the journal before the agent acknowledges it, and every
 * result goes through the outbox.
 */
import type { Logger } from 'pino';
import type { Load } from '../../shared/agent/load.ts';
import type { Ack, AgentOutcome, JobControl, Output, Progress, Request, Result } from '../../shared/agent/messages.ts';
import type { PlannedRun } from '../../shared/agent/plan.ts';
import { CLOCK_SKEW_MS, SHORT_ACK_AFTER_MS } from '../../shared/agent/timing.ts';
import { type InstanceId, plannedInstance, topics } from '../../shared/agent/topics.ts';
import { type ClientId, type JobId, readClientId } from '../../shared/identity.ts';
import { type Command, limitsOf } from '../../shared/tools/list.ts';
import { attachment } from '../host/network.ts';
import { createRunProcess } from '../host/run-process.ts';
import { Throttle } from '../link/throttle.ts';
import type { ToolSettings } from '../tools/tool.ts';
import { idsOf, type Job, type Planned, type PlannedEnd } from './job.ts';
import { JobList, kindsOf } from './job-list.ts';
import type { Journal } from './journal.ts';
import { LiveOutput } from './live-output.ts';
import type { Outbox } from './outbox.ts';
import { arrivedTooLate, base, beforeStart, clocksDiffer, failed, Stop, waitedTooLong } from './outcomes.ts';
import { type AgentPolicy, checkCommand, hasRoom, kindOf, mayWait } from './policy.ts';
import { type RunAnyTool, runCommand } from './run-command.ts';

export interface ServeOptions {
  client: ClientId;
  journal: Journal;
  outbox: Outbox;
  policy(): AgentPolicy;
  runTool: RunAnyTool;
  settings: ToolSettings;
  /** Publishes, without waiting, what may be lost: acks (QoS 1), output, progress (0). Returns whether connected. */
  publishLossy(topic: string, payload: Buffer, qos: 0 | 1): boolean;
  /** Called when the load may have changed. */
  onLoad(): void;
  log: Logger;
  now?: () => number;
}

/** Throttles messages about positions: with fifty queued commands, brokers would discard some of them. */
const POSITION_ANNOUNCEMENT = { afterMs: 100, everyMs: 1_000 };

export class JobService {
  readonly #options: ServeOptions;
  readonly #now: () => number;
  readonly #log: Logger;
  readonly #jobs = new JobList();
  readonly #moves = new Throttle(() => this.#announcePositions(), POSITION_ANNOUNCEMENT);
  #draining = false;

  constructor(options: ServeOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.#log = options.log;
  }

  load(): Load {
    return { running: this.#jobs.in('running').length, queued: this.#jobs.in('queued').length };
  }

  /** Accepts nothing more, waits for the running commands, and stops the rest. A second call during the wait stops them. */
  async drain(withinMs: number): Promise<void> {
    this.#draining = true;
    for (const job of this.#jobs.in('queued')) await this.#endQueued(job, beforeStart('agent_restarted'));
    await this.#jobs.ended(withinMs);
    for (const job of this.#jobs.values()) {
      job.stop.abort(new Stop('agent_restarted', 'The agent was stopped before the command had ended'));
    }
    await this.#jobs.ended(8_000); // Longer than `END_WITHIN_MS` of a tool, so that its result is stored.
  }

  /** Handles a request. Does not wait for the broker. */
  async request(request: Request): Promise<void> {
    const { id, replyTo } = request;
    const known = this.#jobs.get(id);
    if (known !== undefined) {
      if (!known.live.has(replyTo)) known.live.watch(replyTo, 0);
      return this.#ack(known, [replyTo]);
    }
    // Acknowledged as well, because on a slow uplink the result may take long.
    if (this.has(id)) return this.#answerAbsent(id, replyTo);
    await this.#take(request, null);
  }

  /** Whether this agent accepted the command, as far as the journal reaches back. */
  has(id: JobId): boolean {
    const { journal, outbox } = this.#options;
    return this.#jobs.has(id) || outbox.has(id) || journal.has(id);
  }

  /**
   * Runs a command of the plan. It queues behind the commands of callers. A run or rejected one leaves a result for ingest.
   * @param deadline it must not start after this time (Unix, ms)
   * @returns when the result is on disk; null for a command that the agent accepted before
   */
  async planned(id: JobId, run: PlannedRun, command: Command, deadline: number): Promise<PlannedEnd | null> {
    if (this.has(id)) return null;
    const { client } = this.#options;
    const replyTo = plannedInstance(readClientId(client)?.stage ?? '');
    return new Promise((ended, failed) => {
      const request: Request = { ...base(id), t: 'request', replyTo, sentAt: this.#now(), deadline, command };
      this.#take(request, { run, ended }).catch(failed);
    });
  }

  async #take(request: Request, planned: Planned | null): Promise<void> {
    const { id, replyTo, command } = request;
    const refused = this.#refusal(request, planned !== null);
    const job: Job = {
      id,
      request,
      planned,
      live: new LiveOutput(id, planned === null ? replyTo : null, (to, message) => this.#publishLossy(to, message)),
      state: 'accepting',
      stop: new AbortController(),
      position: null,
      startedAt: null,
      expiry: undefined,
      lateAck: undefined,
    };
    this.#jobs.set(id, job);
    if (refused === null) return this.#accept(job);
    this.#log.info({ ...idsOf(request), tool: command.tool, reason: refused.reason }, 'request rejected');
    await this.#end(job, refused);
  }

  /** Why the agent rejects a request; null when it does not. */
  #refusal({ id, sentAt, deadline, command }: Request, isPlanned: boolean): AgentOutcome | null {
    const now = this.#now();
    if (this.#jobs.takeCancelled(id)) return beforeStart('cancelled');
    // Before the clock comparison: a request past its deadline must not start, whichever clock is wrong.
    if (now > deadline) return arrivedTooLate(now - deadline);
    if (Math.abs(now - sentAt) > CLOCK_SKEW_MS) return clocksDiffer(now - sentAt);
    if (this.#draining) return failed('agent_busy', 'The agent is being stopped and takes no more commands');
    const forbidden = checkCommand(this.#options.policy(), command, attachment());
    if (forbidden !== null) return failed(forbidden.reason, forbidden.message);
    // Planned commands need no bound: each schedule has one at a time.
    if (isPlanned || this.#mayStart(command)) return null;
    const waiting = this.#jobs.in('queued').filter(({ planned }) => planned === null);
    if (mayWait(this.#options.policy(), kindOf(command), kindsOf(waiting))) return null;
    return failed('agent_busy', `The agent runs as many commands as it may; ${command.tool} was not started`);
  }

  async #accept(job: Job): Promise<void> {
    const { command, deadline } = job.request;
    try {
      await this.#options.journal.accept(job.id, job.request.replyTo, job.planned?.run);
    } catch (error) {
      this.#log.error({ ...idsOf(job.request), err: error }, 'request rejected: the journal cannot be written');
      return this.#end(job, failed('internal_error', 'The agent cannot write its journal; is the disk full?'));
    }
    const stop: unknown = job.stop.signal.reason;
    if (stop instanceof Stop) return this.#end(job, beforeStart(stop.reason));
    job.state = 'queued';
    if (this.#mayStart(command)) return this.#start(job);
    const leftMs = Math.min(Math.max(0, deadline - this.#now()), 2 ** 31 - 1); // Beyond, timers of Node.js fire at once.
    job.expiry = setTimeout(() => this.#settle(this.#endQueued(job, waitedTooLong())), leftMs);
    job.position = this.#jobs.in('queued').indexOf(job);
    this.#ack(job);
    this.#options.onLoad();
  }

  #start(job: Job): void {
    clearTimeout(job.expiry);
    job.state = 'running';
    job.startedAt = this.#now();
    if (kindOf(job.request.command).isLong) this.#ack(job);
    else job.lateAck = setTimeout(() => this.#ack(job), SHORT_ACK_AFTER_MS);
    this.#options.onLoad();
    this.#settle(this.#run(job));
  }

  async #run(job: Job): Promise<void> {
    const { id, request, live } = job;
    const { journal, policy, runTool, settings } = this.#options;
    const { tool } = request.command;
    this.#log.info({ ...idsOf(request), tool }, 'command started');
    const context = {
      run: createRunProcess({ onStart: (pid) => this.#settle(journal.processStarted(id, pid)) }),
      rules: policy()[tool],
      settings,
      onOutput: (text: string) => live.output(text),
      onProgress: (phase: string, percent: number | null) => live.progress(phase, percent),
    };
    const outcome = await runCommand(runTool, request.command, context, {
      limitMs: limitsOf(request.command).runMs,
      stop: job.stop.signal,
      onDefect: (error) =>
        this.#log.error({ ...idsOf(request), tool, err: error }, 'a tool failed with an unexpected error'),
    });
    await this.#end(job, outcome);
  }

  /** Handles a control message about a request. Does not wait for the broker. */
  async control(message: JobControl): Promise<void> {
    if (message.t === 'stored') return this.#options.outbox.stored(message.id);
    if (message.t === 'watch') return this.#watch(message.id, message.replyTo, message.from);
    return this.#cancel(message.id, message.replyTo);
  }

  async #watch(id: JobId, replyTo: InstanceId, from: number): Promise<void> {
    const job = this.#jobs.get(id);
    if (job === undefined) return this.#answerAbsent(id, replyTo);
    this.#ack(job, [replyTo]);
    job.live.watch(replyTo, from);
  }

  async #cancel(id: JobId, replyTo: InstanceId): Promise<void> {
    const job = this.#jobs.get(id);
    if (job === undefined) {
      if (!this.#options.journal.has(id)) this.#jobs.cancelEarly(id);
      return this.#answerAbsent(id, replyTo);
    }
    this.#ack(job, [replyTo]);
    // The caller who cancels waits for the end of the command, without its earlier output.
    if (!job.live.has(replyTo)) job.live.watch(replyTo, Number.POSITIVE_INFINITY);
    if (job.state === 'queued') await this.#endQueued(job, beforeStart('cancelled'));
    else job.stop.abort(new Stop('cancelled', 'The command was cancelled'));
  }

  /** Replies about a request that is not in progress: with its result if it has ended, otherwise that it is unknown. */
  #answerAbsent(id: JobId, replyTo: InstanceId): void {
    this.#publishAck([replyTo], id, this.has(id) ? 'finished' : 'unknown');
    this.#options.outbox.resend(id, replyTo);
  }

  /** Ends a queued job, unless it has started or ended meanwhile. */
  async #endQueued(job: Job, outcome: AgentOutcome): Promise<void> {
    if (job.state === 'queued') await this.#end(job, outcome);
  }

  /** Every request ends here: the agent stores and publishes its result, and keeps its id in the journal. */
  async #end(job: Job, outcome: AgentOutcome): Promise<void> {
    const { id, live, planned, startedAt } = job;
    const isLate = planned !== null && (outcome.reason === 'deadline_passed' || outcome.reason === 'agent_busy');
    clearTimeout(job.expiry);
    live.end();
    job.state = 'ending';
    const result: Result = { ...base(id), t: 'result', ...outcome, startedAt, endedAt: this.#now() };
    if (planned !== null) result.planned = planned.run;
    const { watchers } = live;
    try {
      if (!isLate) await this.#deliver(result, job.request.replyTo, watchers);
      for (const late of live.watchers.filter((watcher) => !watchers.includes(watcher))) {
        this.#options.outbox.resend(id, late);
      }
    } finally {
      clearTimeout(job.lateAck); // Not before: storing and publishing the result may take long on a slow disk.
      this.#jobs.delete(id);
      this.#settle(this.#options.journal.done(id));
      planned?.ended(isLate ? 'late' : outcome);
      this.#log.info({ ...idsOf(job.request), state: result.state, reason: result.reason }, 'request ended');
      this.#startQueued();
      this.#moves.changed();
      this.#options.onLoad();
    }
  }

  async #deliver(result: Result, replyTo: InstanceId, watchers: readonly InstanceId[]): Promise<void> {
    try {
      await this.#options.outbox.deliver(result, replyTo, watchers);
    } catch (error) {
      this.#log.error({ jobId: result.id, err: error }, 'a result cannot be encoded as a message');
      const outcome = failed('internal_error', 'The result of the command cannot be encoded as a message');
      await this.#options.outbox.deliver({ ...result, ...outcome }, replyTo, watchers);
    }
  }

  #startQueued(): void {
    for (const job of this.#jobs.in('queued')) {
      if (!this.#mayStart(job.request.command)) continue;
      if (this.#now() > job.request.deadline) this.#settle(this.#endQueued(job, waitedTooLong()));
      else this.#start(job);
    }
  }

  #mayStart(command: Command): boolean {
    return hasRoom(this.#options.policy(), kindOf(command), kindsOf(this.#jobs.in('running')));
  }

  /** Notifies the followers of queued commands whose position has changed. */
  #announcePositions(): void {
    for (const [position, job] of this.#jobs.in('queued').entries()) {
      if (job.position === position) continue;
      job.position = position;
      this.#ack(job);
    }
  }

  /** Skips a job in state `accepting`: the agent acknowledges it when it is in the journal. */
  #ack(job: Job, to: readonly InstanceId[] = job.live.watchers): void {
    const { id, state } = job;
    if (state === 'queued') this.#publishAck(to, id, 'queued', this.#jobs.in('queued').indexOf(job));
    else if (state !== 'accepting') this.#publishAck(to, id, state === 'running' ? 'running' : 'finished');
  }

  #publishAck(to: readonly InstanceId[], id: JobId, state: Ack['state'], position?: number): void {
    const where = position === undefined ? {} : { position };
    const ack: Ack = { ...base(id), t: 'ack', state, at: this.#now(), ...where, load: this.load() };
    for (const instance of to) this.#publishLossy(instance, ack);
  }

  #publishLossy(to: InstanceId, message: Ack | Output | Progress): boolean {
    const payload = Buffer.from(JSON.stringify(message));
    return this.#options.publishLossy(topics.reply(to, this.#options.client), payload, message.t === 'ack' ? 1 : 0);
  }

  /** Catches the errors of background work, so that they do not end the agent. */
  #settle(work: Promise<void>): void {
    work.catch((error) => this.#log.error({ err: error }, 'work in the background failed'));
  }
}
