/** `/nettools`: sends one command to an agent of the site and answers with the output of its tool. */
import { v7 as uuidv7 } from 'uuid';
import type { JobOutcome, Reason } from '../../shared/agent/messages.ts';
import type { Job } from '../../shared/api/jobs.ts';
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
import { backOff } from '../table/back-off.ts';
import type { JobHandle } from './agent-dispatcher.ts';
import type { AgentWish } from './choose-agent.ts';
import type { CommandContext } from './context.ts';
import { endedJob, jobEvents } from './job-events.ts';
import type { JobStore } from './job-store.ts';
import { takenJob } from './taken-job.ts';
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
    triggerScan(context, call, input, (_, one, command, name) =>
      begin(context, one, { command, wish: { name }, asked: command }),
    ),
};

/**
 * Sends the tool's command to an agent, the named one or a chosen one. The answer to a success is what the tool
 * declares, that to a failure has its reason, and that to an unfinished command refers to its job.
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
    // A caller that does not want to wait gets the same answer, however fast the command was.
    const ended =
      until === null
        ? null
        : await endOf(context.waitSlots, followed, { user: userOf(call), until, gone: call.gone() });
    if (ended === null) return await acceptedAnswer(context, call, followed);
    if (ended.state !== 'succeeded') throw failureOf(tool, ended);
    // Whoever has the answer of a scan finds its ports, which ingest stores before the job ends.
    if (tool === tools.nmap) await endedJob(context.jobs, followed.id, ended).catch(() => {});
    const answer = tool.toAnswer(ended, plan.command);
    if (answer !== null) return { success: true, ...answer };
    throw new ServiceError('command_failed', `Cannot run ${tool.name}: the agent sent no result`);
  } finally {
    followed.leave();
  }
}

/** Where the stream of a command begins: only a request that joins an earlier one can have some of the output already. */
function from({ idempotencyKey, lastEventId }: Call): number {
  return idempotencyKey === null ? 0 : resumeFrom(lastEventId);
}

/** What is to be started for a request. */
interface Plan {
  command: Command;
  wish: AgentWish;
  /** What the caller has asked for: a request with the same Idempotency-Key must ask for the same. */
  asked: object;
}

async function planOf(
  tool: AnyTool,
  context: CommandContext,
  { site }: SiteCall,
  { agent: name, ...input }: Input,
): Promise<Plan> {
  if (tool === tools.wakeOnLan) {
    // Parsed with the schema of this operation.
    const { command, wish } = await planWake(context, site, input as WakeRequest);
    return { command, wish: { ...wish, name }, asked: { tool: tool.name, ...input } };
  }
  const values = Object.entries(tool.arguments).map(([argument, { field }]) => [argument, input[field]]);
  // The body was parsed with the schemas of the arguments that make up the command.
  const command = { tool: tool.name, ...Object.fromEntries(values) } as Command;
  return { command, wish: { name }, asked: command };
}

/** When a caller should look at the job of a command that has not ended. */
const LOOK_AGAIN_AFTER_S = 2;

/** The wait is over but the command is not: the answer refers to its job. */
async function acceptedAnswer(context: CommandContext, call: Call, followed: JobHandle): Promise<HandlerResult> {
  const { id } = followed;
  const { applied } = call.waiting();
  const job = await takenJob(context, followed);
  const headers = {
    Location: `${call.prefix}/jobs/${id}`,
    'Retry-After': String(LOOK_AGAIN_AFTER_S),
    ...(applied === null ? {} : { 'Preference-Applied': applied }),
  };
  return new HandlerResult({ success: true, ...job }, { status: 202, headers });
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
  { command, wish, asked }: Plan,
): Promise<JobHandle> {
  const { site, token, idempotencyKey, requestId, sourceAddress } = call;
  const by = { actor: token.id, sourceAddress };
  const id: JobId = `${site}.${uuidv7()}`;
  if (idempotencyKey === null) return agents.start(id, command, by, wish, requestId);
  const request = JSON.stringify(wish.name === undefined ? [site, asked] : [site, asked, wish.name]);
  const holder = await jobs.claimKey(token.id, idempotencyKey, request, id);
  if (holder === null) {
    throw new ServiceError(
      'idempotency_mismatch',
      'The Idempotency-Key was used before with a different request; use a new key',
    );
  }
  if (holder !== id) return agents.follow(await appears(jobs, holder));
  try {
    return await agents.start(id, command, by, wish, requestId);
  } catch (error) {
    // Only if it is certain that there is no job: another attempt would run the command of a job that was sent again.
    const isAbsent = await jobs.find(id).then(
      (job) => job === null,
      () => false,
    );
    if (isAbsent) await jobs.releaseKey(token.id, idempotencyKey, id);
    throw error;
  }
}

/** Waits for the job that holds a key, whose row is written a moment after the key. */
async function appears(jobs: JobStore, id: JobId): Promise<Job> {
  for (let attempt = 0; attempt < APPEARS_ATTEMPTS; attempt++) {
    const job = await jobs.find(id);
    if (job !== null) return job;
    await backOff(attempt);
  }
  throw new ServiceError('conflict', 'Another request with the same Idempotency-Key is being started; try again', {
    retryAfter: 1,
  });
}

const APPEARS_ATTEMPTS = 8;

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
  const said = message ?? lastLineOf(output) ?? words;
  return new ServiceError(code, `Cannot run ${tool.name}: ${said}`, {
    ...(code === 'command_failed' ? { details: lastWordsOf(output) || startOf(said, MAX_DETAILS) } : {}),
    ...(code === 'agent_busy' ? { retryAfter: 5 } : {}),
    ...(code === 'agent_offline' ? { retryAfter: 10 } : {}),
    ...(code === 'validation_failed' ? { fields: [{ path: targetField(tool), message: said }] } : {}),
  });
}

/** The field of the request that is invalid when an agent refuses the target on its host. */
function targetField(tool: AnyTool): string {
  return Object.values(tool.arguments)[0]?.field ?? '';
}

/** Characters of a tool's output that are included in the answer to a failure. The job has all of it. */
const MAX_DETAILS = 2_000;

function lastWordsOf(output: string): string {
  return output.trimEnd().slice(-MAX_DETAILS);
}

function lastLineOf(output: string): string | null {
  return startOf(oneLine(output.trimEnd().split('\n').at(-1) ?? ''), 300) || null;
}
