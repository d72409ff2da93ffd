/** `/nettools`: sends one command to an agent of the site and responds with the output of its tool. */
import { v7 as uuidv7 } from 'uuid';
import type { JobOutcome, Reason } from '../../shared/agent/messages.ts';
import type { nettools as operations } from '../../shared/api/nettools.ts';
import type { WakeRequest } from '../../shared/api/wake.ts';
import { type ErrorCode, ServiceError } from '../../shared/errors.ts';
import type { JobId } from '../../shared/identity.ts';
import { oneLine, startOf } from '../../shared/text.ts';
import { type Command, tools } from '../../shared/tools/list.ts';
import type { AnyTool } from '../../shared/tools/tool.ts';
import type { Call, Handlers, SiteCall } from '../http/call.ts';
import { userOf } from '../http/caller.ts';
import { EventStream } from '../http/event-stream.ts';
import { HandlerResult } from '../http/handler-result.ts';
import { resumeFrom } from '../http/waiting.ts';
import type { JobHandle } from './agent-dispatcher.ts';
import type { AgentWish } from './choose-agent.ts';
import type { CommandContext } from './context.ts';
import { claimKey, onceStarted } from './idempotency.ts';
import { acceptedJob, endedJob, jobEvents } from './job-events.ts';
import { triggerScan } from './trigger-scan.ts';
import { endOf } from './wait-for-job.ts';
import { planWake } from './wake.ts';

/** A request, as parsed by the schemas of its tool. */
type Input = Record<string, unknown> & { agent?: string };

/** One operation per tool, with one handler for all; the types cannot express that they match. */
const toolHandlers = Object.fromEntries(
  Object.entries(tools).map(([id, tool]) => [
    id,
    (context: CommandContext, call: SiteCall, input: Input) => run(tool, context, call, input),
  ]),
) as unknown as Handlers<Omit<typeof operations, 'triggerScan'>, CommandContext>;

export const nettoolsHandlers: Handlers<typeof operations, CommandContext> = {
  ...toolHandlers,
  triggerScan: (context, call, input) =>
    triggerScan(context, call, input, (one, command, name) =>
      begin(context, one, { command, wish: { name }, requested: command }),
    ),
};

/**
 * Sends the tool's command to an agent, the named one or a chosen one. A success is answered with what the tool declares,
 * a failure with its reason, and an unfinished command with its job.
 */
async function run(tool: AnyTool, context: CommandContext, call: SiteCall, input: Input): Promise<object> {
  const { events, until } = call.waiting();
  const plan = await planOf(tool, context, call, input);
  const followed = await begin(context, call, plan);
  if (events)
    return new HandlerResult(
      new EventStream((signal) => jobEvents(context, followed, { from: from(call), user: userOf(call) }, signal)),
    );
  try {
    // A caller that does not want to wait gets the same response, however fast the command was.
    const ended =
      until === null
        ? null
        : await endOf(context.waitSlots, followed, { user: userOf(call), until, gone: call.gone() });
    if (ended === null) return await acceptedAnswer(context, call, followed);
    if (ended.state !== 'succeeded') throw failureOf(tool, ended);
    // So that a caller with the result of a scan finds its ports, which ingest stores before the job ends.
    if (tool === tools.nmap) await endedJob(context.jobs, followed.id, ended).catch(() => {});
    const answer = tool.toAnswer(ended, plan.command);
    if (answer !== null) return { success: true, ...answer };
    throw new ServiceError('command_failed', `Cannot run ${tool.name}: the agent sent no result`);
  } finally {
    followed.leave();
  }
}

/** Where the stream begins: only a request that joins an earlier one can have some of the output already. */
const from = ({ idempotencyKey, lastEventId }: Call): number => (idempotencyKey === null ? 0 : resumeFrom(lastEventId));

interface Plan {
  command: Command;
  wish: AgentWish;
  /** What the caller has requested: the same for each request with one Idempotency-Key. */
  requested: object;
}

async function planOf(
  tool: AnyTool,
  context: CommandContext,
  { site }: SiteCall,
  { agent: name, ...input }: Input,
): Promise<Plan> {
  if (tool === tools.wakeOnLan) {
    const { command, wish } = await planWake(context, site, input as WakeRequest);
    return { command, wish: { ...wish, name }, requested: { tool: tool.name, ...input } };
  }
  const values = Object.entries(tool.arguments).map(([argument, { field }]) => [argument, input[field]]);
  // The body was parsed with the schemas of the arguments that make up the command.
  const command = { tool: tool.name, ...Object.fromEntries(values) } as Command;
  return { command, wish: { name }, requested: command };
}

/** The wait is over but the command is not: the response refers to its job. */
async function acceptedAnswer(context: CommandContext, call: Call, followed: JobHandle): Promise<HandlerResult> {
  const { applied } = call.waiting();
  const headers = {
    Location: `${call.prefix}/jobs/${followed.id}`,
    'Retry-After': '2',
    ...(applied === null ? {} : { 'Preference-Applied': applied }),
  };
  return new HandlerResult({ success: true, ...(await acceptedJob(context, followed)) }, { status: 202, headers });
}

/** Starts the command, or joins the one that an earlier request with the same Idempotency-Key has started. */
async function begin(context: CommandContext, call: SiteCall, plan: Plan): Promise<JobHandle> {
  const followed = await startOrJoin(context, call, plan);
  const ids = { requestId: call.requestId, tokenId: call.token.id, site: call.site };
  context.log.info({ ...ids, jobId: followed.id, agentId: followed.agent, tool: plan.command.tool }, 'command');
  call.onJob?.(followed);
  return followed;
}

export async function startOrJoin(
  { agents, jobs }: CommandContext,
  call: SiteCall,
  { command, wish, requested }: Plan,
): Promise<JobHandle> {
  const { site, token, person, idempotencyKey, requestId, sourceAddress } = call;
  const by = { actor: token.id, person, sourceAddress };
  const id: JobId = `${site}.${uuidv7()}`;
  if (idempotencyKey === null) return agents.start(id, command, by, wish, requestId);
  const request = JSON.stringify(wish.name === undefined ? [site, requested] : [site, requested, wish.name]);
  const holder = await claimKey(jobs, token.id, idempotencyKey, request, id);
  if (holder !== id) return agents.follow(await onceStarted(() => jobs.find(holder)));
  try {
    return await agents.start(id, command, by, wish, requestId);
  } catch (error) {
    // Only if there certainly is no job: a retry would run the command of a job that was sent a second time.
    const job = await jobs.find(id).catch(() => undefined);
    if (job === null) await jobs.releaseKey(token.id, idempotencyKey, id);
    throw error;
  }
}

/** The error code for each reason, and a message if the agent has sent none. */
const FAILURES: Record<Reason, [ErrorCode, string]> = {
  tool_failed: ['command_failed', 'the command failed'],
  timed_out: ['command_failed', 'the command took too long'],
  tool_missing: ['tool_missing', 'the program is not installed on the host of the agent'],
  target_not_allowed: ['target_not_allowed', 'the policy of the agent refuses the target'],
  invalid_target: ['validation_failed', 'the target cannot be used on the host of the agent'],
  discovery_off: ['conflict', 'discovery is off at this agent'],
  agent_busy: ['agent_busy', 'the agent is already running as many commands as its policy allows'],
  deadline_passed: ['agent_silent', 'the command reached the agent too late to be started'],
  clock_skew: [
    'command_failed',
    'the clock of the agent or of the service is wrong, so that deadlines cannot be checked',
  ],
  agent_restarted: ['command_failed', 'the agent was restarted while the command ran'],
  cancelled: ['command_failed', 'the command was cancelled'],
  agent_revoked: ['agent_offline', 'the agent was revoked before the command ended'],
  lease_expired: ['command_failed', 'the agent reported no result until long after the time limit of the command'],
  malformed_result: ['command_failed', 'the agent sent a result that cannot be read'],
  internal_error: ['command_failed', 'the agent failed'],
};

function failureOf(tool: AnyTool, { reason, message, output }: JobOutcome): ServiceError {
  const [code, words] = FAILURES[reason ?? 'internal_error'];
  const text = message ?? lastLineOf(output) ?? words;
  // The field that an agent has rejected on its host is the target, which is the first argument of its tool.
  const path = Object.values(tool.arguments)[0]?.field ?? '';
  return new ServiceError(code, `Cannot run ${tool.name}: ${text}`, {
    ...(code === 'command_failed'
      ? { details: output.trimEnd().slice(-MAX_DETAILS) || startOf(text, MAX_DETAILS) }
      : {}),
    ...(code === 'agent_busy' ? { retryAfter: 5 } : {}),
    ...(code === 'agent_offline' ? { retryAfter: 10 } : {}),
    ...(code === 'validation_failed' ? { fields: [{ path, message: text }] } : {}),
  });
}

/** Characters of a tool's output that the response to a failure includes. The job has all of it. */
const MAX_DETAILS = 2_000;

function lastLineOf(output: string): string | null {
  return startOf(oneLine(output.trimEnd().split('\n').at(-1) ?? ''), 300) || null;
}
