/**
 * The agent's side of a request: what is done with each message that comes in, in the order in which it is done.
 *
 * For each id there is at most one run and one result, however often the request arrives: what was accepted is in the
 * journal before anybody hears of it, and every end goes through the outbox.
 */
import type { Logger } from 'pino';
import {
  type Ack,
  type AgentOutcome,
  Control,
  type Load,
  type Output,
  otherVersionOf,
  PROTOCOL_VERSION,
  type Progress,
  Request,
  type Result,
} from '../../shared/agent/messages.ts';
import { CLOCK_SKEW_MS } from '../../shared/agent/timing.ts';
import { type InstanceId, topics } from '../../shared/agent/topics.ts';
import { type AgentId, type JobId, siteOfAgent, siteOfJob } from '../../shared/identity.ts';
import { parseJson } from '../../shared/json.ts';
import { TOOL, type Tool } from '../../shared/tools/list.ts';
import { attachment } from '../host/network.ts';
import { createRunProcess } from '../host/run-process.ts';
import { Throttle } from '../link/throttle.ts';
import type { ToolSettings } from '../tools/tool.ts';
import type { Journal } from './journal.ts';
import { LiveOutput } from './live-output.ts';
import type { Outbox } from './outbox.ts';
import { type AgentPolicy, checkCommand, hasRoom, mayWait } from './policy.ts';
import { failed, type RunAnyTool, runCommand, Stop } from './run-command.ts';

export interface ServeOptions {
  agent: AgentId;
  journal: Journal;
  outbox: Outbox;
  policy: AgentPolicy;
  runTool: RunAnyTool;
  settings: ToolSettings;
  /**
   * Publishes something that may be lost: an ack with QoS 1, output and progress with QoS 0. Never waited for.
   * Says whether the connection took it; there may be none, or a slow one.
   */
  say(topic: string, payload: Buffer, qos: 0 | 1): boolean;
  /** The load may have changed. */
  onLoad(): void;
  log: Logger;
  now?: () => number;
}

interface Job {
  id: JobId;
  request: Request;
  /** What it has printed, and who follows it. */
  live: LiveOutput;
  /** `accepting` until it is in the journal, `ending` while its result is being written. */
  state: 'accepting' | 'queued' | 'running' | 'ending';
  stop: AbortController;
  /** Commands ahead of it, as its watchers were last told. */
  position: number | null;
  startedAt: number | null;
  /** Ends a job that waits until its deadline. */
  expiry: NodeJS.Timeout | undefined;
}

/** A cancellation may overtake its request; so many of them are remembered. */
const EARLY_CANCELLATIONS = 1_000;
/** What a tool and its processes may take to end after they were told to, and a result to be written. */
const STOP_WITHIN_MS = 8_000;
/** Not each step of a queue that moves fast: with fifty who wait, brokers would discard some of the messages. */
const POSITIONS_ARE_TOLD = { afterMs: 100, everyMs: 1_000 };
const LONGEST_TIMER_MS = 2 ** 31 - 1; // Beyond this, timers of Node fire at once.

export class JobService {
  readonly #options: ServeOptions;
  readonly #now: () => number;
  readonly #log: Logger;
  /** Being decided about, waiting, running or being ended; oldest first. */
  readonly #jobs = new Map<JobId, Job>();
  readonly #cancelledEarly = new Set<JobId>();
  readonly #moves = new Throttle(() => this.#tellPositions(), POSITIONS_ARE_TOLD);
  #draining = false;
  #whenIdle: (() => void)[] = [];

  constructor(options: ServeOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.#log = options.log;
  }

  /**
   * Takes one message. When this resolves, the broker may forget it. Never rejects, and never waits for the broker:
   * the link reads nothing until this resolves, so the broker's answer could not arrive.
   */
  async receive(topic: string, payload: Uint8Array): Promise<void> {
    const message = this.#parse(topic, payload);
    if (message === null) return;
    try {
      if (message.t === 'request') await this.#request(message);
      else await this.#control(message);
    } catch (error) {
      this.#log.error({ id: message.id, t: message.t, err: error }, 'a message could not be handled');
    }
  }

  /** What it is busy with. */
  load(): Load {
    return { running: this.#in('running').length, queued: this.#in('queued').length };
  }

  /**
   * Accepts nothing more and waits for the commands that run; those that still run when the time is over are stopped.
   * A second call while the first waits stops them earlier.
   */
  async drain(withinMs: number): Promise<void> {
    this.#draining = true;
    for (const job of this.#in('queued')) await this.#endQueued(job, beforeStart('agent_restarted'));
    await this.#idle(withinMs);
    for (const job of this.#jobs.values()) {
      job.stop.abort(new Stop('agent_restarted', 'The agent was stopped before the command had ended'));
    }
    await this.#idle(STOP_WITHIN_MS);
  }

  /** The message, or null when it is none that this agent understands: it is then logged and forgotten. */
  #parse(topic: string, payload: Uint8Array): Request | Control | null {
    const { agent } = this.#options;
    const schema = topic === topics.request(agent) ? Request : topic === topics.control(agent) ? Control : null;
    if (schema === null) {
      this.#log.warn({ topic }, 'a message on an unexpected topic is ignored');
      return null;
    }
    const json = parseJson(Buffer.from(payload).toString('utf8'));
    const parsed = schema.safeParse(json);
    if (!parsed.success) {
      const theirs = otherVersionOf(json);
      if (theirs !== null) {
        this.#log.warn(
          { topic, theirs, ours: PROTOCOL_VERSION },
          'a message of another version is ignored; update the agent',
        );
        return null;
      }
      const faults = parsed.error.issues.map(({ path, code }) => `${path.join('.')} ${code}`).slice(0, 5);
      this.#log.warn({ topic, bytes: payload.length, faults }, 'a message that cannot be understood is ignored');
      return null;
    }
    if (siteOfJob(parsed.data.id) !== siteOfAgent(agent)) {
      this.#log.warn({ id: parsed.data.id }, 'a message about a job of another site is ignored');
      return null;
    }
    return parsed.data;
  }

  async #request(request: Request): Promise<void> {
    const { id, replyTo, command } = request;
    const { journal, outbox } = this.#options;

    const known = this.#jobs.get(id);
    if (known !== undefined) {
      if (!known.live.has(replyTo)) known.live.watch(replyTo, 0);
      return this.#ack(known, [replyTo]);
    }
    if (outbox.resend(id, replyTo)) return;
    if (journal.has(id)) return this.#sayAck([replyTo], id, 'finished');

    const refused = this.#refusal(request);
    const job: Job = {
      id,
      request,
      live: new LiveOutput(id, replyTo, (to, message) => this.#say(to, message)),
      state: 'accepting',
      stop: new AbortController(),
      position: null,
      startedAt: null,
      expiry: undefined,
    };
    this.#jobs.set(id, job);
    if (refused === null) return this.#accept(job);
    this.#log.info({ id, tool: command.tool, reason: refused.reason }, 'request refused');
    await this.#end(job, refused);
  }

  /** Why a request is not carried out; null when it is. */
  #refusal({ id, sentAt, deadline, command }: Request): AgentOutcome | null {
    const now = this.#now();
    if (this.#cancelledEarly.delete(id)) return beforeStart('cancelled');
    // Before the clocks are compared: what arrives this late must not start, whichever clock is wrong.
    if (now > deadline) return arrivedTooLate(now - deadline);
    if (Math.abs(now - sentAt) > CLOCK_SKEW_MS) return clocksDiffer(now - sentAt);
    if (this.#draining) return failed('agent_busy', 'The agent is being stopped and takes no more commands');
    const forbidden = checkCommand(this.#options.policy, command, attachment());
    if (forbidden !== null) return failed(forbidden.reason, forbidden.message);
    if (this.#mayStart(command.tool) || mayWait(this.#options.policy, command.tool, toolsOf(this.#in('queued'))))
      return null;
    return failed('agent_busy', `The agent runs as many commands as it may; ${command.tool} was not started`);
  }

  async #accept(job: Job): Promise<void> {
    const { command, deadline } = job.request;
    try {
      await this.#options.journal.accept(job.id, job.request.replyTo);
    } catch (error) {
      this.#log.error({ id: job.id, err: error }, 'a request cannot be written to the journal');
      return this.#end(job, failed('internal_error', 'The agent cannot write its journal; is the disk full?'));
    }
    const { reason } = job.stop.signal;
    if (reason instanceof Stop) return this.#end(job, beforeStart(reason.why));
    job.state = 'queued';
    if (this.#mayStart(command.tool)) return this.#start(job);
    const leftMs = Math.min(Math.max(0, deadline - this.#now()), LONGEST_TIMER_MS);
    job.expiry = setTimeout(() => this.#settle(this.#endQueued(job, waitedTooLong())), leftMs);
    job.position = this.#in('queued').indexOf(job);
    this.#ack(job);
    this.#options.onLoad();
  }

  #start(job: Job): void {
    clearTimeout(job.expiry);
    job.state = 'running';
    job.startedAt = this.#now();
    this.#ack(job);
    this.#options.onLoad();
    this.#settle(this.#run(job));
  }

  async #run(job: Job): Promise<void> {
    const { id, request, live } = job;
    const { journal, policy, runTool, settings } = this.#options;
    const { tool } = request.command;
    this.#log.info({ id, tool }, 'command started');
    const run = createRunProcess({ onStart: (pid) => this.#settle(journal.processStarted(id, pid)) });
    const outcome = await runCommand(
      runTool,
      request.command,
      {
        run,
        rules: policy[tool],
        settings,
        onOutput: (text) => live.output(text),
        onProgress: (phase, percent) => live.progress(phase, percent),
      },
      {
        limitMs: TOOL[tool].limits.runMs,
        stop: job.stop.signal,
        onDefect: (error) => this.#log.error({ id, tool, err: error }, 'a tool has a defect'),
      },
    );
    await this.#end(job, outcome);
  }

  async #control(message: Control): Promise<void> {
    const { id } = message;
    switch (message.t) {
      case 'stored':
        return this.#options.outbox.stored(id);
      case 'watch':
        return this.#watch(id, message.replyTo, message.from);
      case 'cancel':
        return this.#cancel(id, message.replyTo);
    }
  }

  #watch(id: JobId, replyTo: InstanceId, from: number): void {
    const job = this.#jobs.get(id);
    if (job === undefined) {
      this.#answerAbsent(id, replyTo);
    } else {
      this.#ack(job, [replyTo]);
      job.live.watch(replyTo, from);
    }
  }

  async #cancel(id: JobId, replyTo: InstanceId): Promise<void> {
    const job = this.#jobs.get(id);
    if (job === undefined) {
      if (!this.#options.journal.has(id)) this.#rememberCancelled(id);
      return this.#answerAbsent(id, replyTo);
    }
    this.#ack(job, [replyTo]);
    // Whoever cancels wants to hear of the end, and of nothing that was printed before.
    if (!job.live.has(replyTo)) job.live.watch(replyTo, Number.POSITIVE_INFINITY);
    if (job.state === 'queued') await this.#endQueued(job, beforeStart('cancelled'));
    else job.stop.abort(new Stop('cancelled', 'The command was cancelled'));
  }

  /** What there is to say about a request that is not under way: that it has ended, and how, or that it is unknown. */
  #answerAbsent(id: JobId, replyTo: InstanceId): void {
    const { journal, outbox } = this.#options;
    this.#sayAck([replyTo], id, journal.has(id) || outbox.has(id) ? 'finished' : 'unknown');
    outbox.resend(id, replyTo);
  }

  #rememberCancelled(id: JobId): void {
    this.#cancelledEarly.add(id);
    for (const oldest of this.#cancelledEarly) {
      if (this.#cancelledEarly.size <= EARLY_CANCELLATIONS) break;
      this.#cancelledEarly.delete(oldest);
    }
  }

  /** Ends a job that waits for its turn, unless it has been started or ended in the meantime. */
  async #endQueued(job: Job, outcome: AgentOutcome): Promise<void> {
    if (job.state === 'queued') await this.#end(job, outcome);
  }

  /** The one way out for every request: the result is on disk, then published, and the id stays known. */
  async #end(job: Job, outcome: AgentOutcome): Promise<void> {
    const { id, live, startedAt } = job;
    clearTimeout(job.expiry);
    live.end();
    job.state = 'ending';
    const result: Result = { ...base(id), t: 'result', ...outcome, startedAt, endedAt: this.#now() };
    const told = live.watchers;
    try {
      await this.#deliver(result, job.request.replyTo, told);
      for (const late of live.watchers.filter((watcher) => !told.includes(watcher))) {
        this.#options.outbox.resend(id, late);
      }
    } finally {
      this.#jobs.delete(id);
      this.#settle(this.#options.journal.done(id));
      this.#log.info({ id, state: result.state, reason: result.reason }, 'request ended');
      this.#startQueued();
      this.#moves.changed();
      this.#options.onLoad();
      if (this.#jobs.size === 0) for (const resolve of this.#whenIdle.splice(0)) resolve();
    }
  }

  async #deliver(result: Result, replyTo: InstanceId, watchers: readonly InstanceId[]): Promise<void> {
    try {
      await this.#options.outbox.deliver(result, replyTo, watchers);
    } catch (error) {
      this.#log.error({ id: result.id, err: error }, 'a result cannot be made into a message');
      const outcome = failed('internal_error', 'The result of the command cannot be sent');
      await this.#options.outbox.deliver({ ...result, ...outcome }, replyTo, watchers);
    }
  }

  #startQueued(): void {
    for (const job of this.#in('queued')) {
      if (!this.#mayStart(job.request.command.tool)) continue;
      if (this.#now() > job.request.deadline) this.#settle(this.#endQueued(job, waitedTooLong()));
      else this.#start(job);
    }
  }

  #mayStart(tool: Tool): boolean {
    return hasRoom(this.#options.policy, tool, toolsOf(this.#in('running')));
  }

  #in(state: Job['state']): Job[] {
    return [...this.#jobs.values()].filter((job) => job.state === state);
  }

  /** Tells those who wait how many commands are ahead of theirs, where that has changed. */
  #tellPositions(): void {
    for (const [position, job] of this.#in('queued').entries()) {
      if (job.position === position) continue;
      job.position = position;
      this.#ack(job);
    }
  }

  /** A job that is being accepted is about to say so by itself. */
  #ack(job: Job, to: readonly InstanceId[] = job.live.watchers): void {
    const { id, state } = job;
    if (state === 'queued') this.#sayAck(to, id, 'queued', this.#in('queued').indexOf(job));
    else if (state !== 'accepting') this.#sayAck(to, id, state === 'running' ? 'running' : 'finished');
  }

  #sayAck(to: readonly InstanceId[], id: JobId, state: Ack['state'], position?: number): void {
    const where = position === undefined ? {} : { position };
    const ack: Ack = { ...base(id), t: 'ack', state, at: this.#now(), ...where, load: this.load() };
    for (const instance of to) this.#say(instance, ack);
  }

  #say(to: InstanceId, message: Ack | Output | Progress): boolean {
    const payload = Buffer.from(JSON.stringify(message));
    return this.#options.say(topics.reply(to, this.#options.agent), payload, message.t === 'ack' ? 1 : 0);
  }

  /** Work that goes on by itself. It must not bring the agent down. */
  #settle(work: Promise<void>): void {
    work.catch((error) => this.#log.error({ err: error }, 'work in the background failed'));
  }

  async #idle(withinMs: number): Promise<void> {
    if (this.#jobs.size === 0) return;
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.#whenIdle.push(resolve);
      timer = setTimeout(resolve, withinMs);
    });
    clearTimeout(timer);
  }
}

function base(id: JobId) {
  return { v: PROTOCOL_VERSION, id } as const;
}

function toolsOf(jobs: readonly Job[]): Tool[] {
  return jobs.map(({ request }) => request.command.tool);
}

function beforeStart(why: Stop['why']): AgentOutcome {
  const cancelled = why === 'cancelled';
  return {
    ...failed(why, `The ${cancelled ? 'command was cancelled' : 'agent was stopped'} before the command started`),
    state: cancelled ? 'cancelled' : 'interrupted',
  };
}

function arrivedTooLate(lateMs: number): AgentOutcome {
  const message = `The request arrived ${seconds(lateMs)} s after its deadline, by the clock of the agent's host`;
  return { ...failed('deadline_passed', message), state: 'expired' };
}

function waitedTooLong(): AgentOutcome {
  const message = "The agent was busy with other commands until the request's deadline had passed";
  return { ...failed('deadline_passed', message), state: 'expired' };
}

/** Which clock is wrong cannot be seen from here, nor whether a message was only slow; neither may start a command. */
function clocksDiffer(ageMs: number): AgentOutcome {
  const direction = ageMs > 0 ? 'ahead of' : 'behind';
  const message = `The clock of the agent's host is ${seconds(Math.abs(ageMs))} s ${direction} the sender's; at most ${seconds(CLOCK_SKEW_MS)} s are allowed`;
  return failed('clock_skew', message);
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(1);
}
