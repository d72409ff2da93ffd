/** The messages between functions and agents. Every message is parsed with these schemas when it is received. */
import * as z from 'zod';
import { JobId } from '../identity.ts';
import { Millis } from '../time.ts';
import { Command, type ToolResult } from '../tools/list.ts';
import { FINAL_STATES, JOB_STATES } from '../words.ts';
import {
  CanonicalMac,
  ChangeNumber,
  DiscoverySettings,
  DiscoveryState,
  faultOf,
  MAX_SIGHTINGS,
  SightingsBatch,
} from './discovery.ts';
import { AgentHost } from './host.ts';
import { Load } from './load.ts';
import { PlannedRun } from './plan.ts';
import { UpdateState } from './release.ts';
import { SitePolicy } from './site-policy.ts';
import { InstanceId } from './topics.ts';

export { FINAL_STATES, isFinal } from '../words.ts';

/**
 * Increased with every change that a receiver of the version before would not understand. Agents and service speak one
 * version: an agent of another one counts as offline, and the service states which side to update.
 */
export const PROTOCOL_VERSION = 8;

export const ProtocolVersion = z.literal(PROTOCOL_VERSION);
export type ProtocolVersion = z.infer<typeof ProtocolVersion>;

const Versioned = z.object({ v: z.number() });

/** The protocol version of a message that we do not speak; null for any other message, whether or not it is valid. */
export function otherVersionOf(message: unknown): number | null {
  const { data } = Versioned.safeParse(message);
  return data === undefined || ProtocolVersion.safeParse(data.v).success ? null : data.v;
}

export const FinalState = z.enum(FINAL_STATES);
export type FinalState = z.infer<typeof FinalState>;
export const JobState = z.enum(JOB_STATES);
export type JobState = z.infer<typeof JobState>;

/** Why a job ended as it did. */
export const Reason = z.enum([
  'tool_failed', // the tool ran and reported a failure
  'timed_out', // the tool exceeded its time limit
  'tool_missing', // the host lacks the program
  'target_not_allowed', // the agent's policy denies the target
  'invalid_target', // the target cannot be used on this host, such as a zone without an interface
  'agent_busy', // too many commands at once
  'deadline_passed', // the request arrived too late to be started
  'discovery_off', // the site or the agent's policy has disabled discovery
  'clock_skew', // the clocks of the function and the agent differ too much to check the deadline
  'agent_restarted', // the agent stopped while the command ran
  'cancelled', // the command was cancelled on request
  'agent_revoked', // the agent was revoked; whether the command ended is unknown
  'lease_expired', // no result arrived until long after the time limit of the job
  'malformed_result', // the result that the agent sent cannot be parsed, or is not one of this tool
  'internal_error', // a defect in the agent
]);
export type Reason = z.infer<typeof Reason>;

const base = { v: ProtocolVersion, id: JobId };

/** Function → agent: run this. */
export const Request = z.object({
  ...base,
  t: z.literal('request'),
  replyTo: InstanceId,
  sentAt: Millis,
  /** The command must not be started after this time (Unix, ms). */
  deadline: Millis,
  command: Command,
  /** The HTTP request that the command comes from, for the log of the agent. */
  requestId: z
    .string()
    .regex(/^[\w.-]{1,64}$/)
    .optional(),
});
export type Request = z.infer<typeof Request>;

/** Function → agent, about a request that was sent before. */
export const JobControl = z.discriminatedUnion('t', [
  /** Stop it, and send the result to this instance too. */
  z.object({ ...base, t: z.literal('cancel'), replyTo: InstanceId }),
  /** Send here too: an ack at once, output from this position on, progress, result. Repeated after a gap. */
  z.object({ ...base, t: z.literal('watch'), replyTo: InstanceId, from: z.int().min(0) }),
  /** Its result is stored, or not wanted: the agent may delete it. */
  z.object({ ...base, t: z.literal('stored') }),
]);
export type JobControl = z.infer<typeof JobControl>;

/** Function → agent, about discovery. */
export const DiscoveryControl = z.discriminatedUnion('t', [
  /** The site's desired state. Sent when the agent comes online and when it changes; the greatest `revision` wins. */
  z.object({
    v: ProtocolVersion,
    t: z.literal('settings'),
    revision: Millis,
    discovery: DiscoverySettings,
    /** What the site denies its agents. Absent: nothing beyond their policy files. */
    policy: SitePolicy.optional(),
    /** When the server was restored from a backup: the agent then reports everything again, once. */
    restoredAt: Millis.optional(),
    /** Whether its policy lets the agent publish straight to the rules of the broker (`topics.direct`). */
    direct: z.boolean().optional(),
  }),
  /** Sightings with this epoch and `n` are stored. `alerts`: those of their devices that alert when down, so never count as asleep. */
  z.object({
    v: ProtocolVersion,
    t: z.literal('sighted'),
    epoch: Millis,
    n: ChangeNumber,
    alerts: z.array(CanonicalMac).max(MAX_SIGHTINGS).optional(),
  }),
  /** Report everything, as a digest: devices were deleted, and those that are present are to come back. */
  z.object({ v: ProtocolVersion, t: z.literal('digest') }),
]);
export type DiscoveryControl = z.infer<typeof DiscoveryControl>;

/** Function → agent, about its plan. */
export const PlanControl = z.discriminatedUnion('t', [
  /** The greatest `revision` wins. `wire.ts` encodes and decodes the plan. */
  z.object({ v: ProtocolVersion, t: z.literal('plan'), revision: Millis, plan: z.base64().max(120_000) }),
  /** The measurements with this `n` are stored. */
  z.object({ v: ProtocolVersion, t: z.literal('measured'), n: Millis }),
]);
export type PlanControl = z.infer<typeof PlanControl>;

/** Everything that is published on the control topic of an agent. */
export const Control = z.discriminatedUnion('t', [JobControl, DiscoveryControl, PlanControl]);
export type Control = z.infer<typeof Control>;

/** Agent → function: the request is in the agent's journal and will have exactly one result. */
export const Ack = z.object({
  ...base,
  t: z.literal('ack'),
  /** `unknown`: the reply to a control message about a request that never arrived, or was dropped long ago. */
  state: z.enum(['queued', 'running', 'finished', 'unknown']),
  /** Time of the agent's clock (Unix, ms). */
  at: Millis,
  /** Commands ahead of this one. */
  position: z.int().min(0).optional(),
  load: Load.optional(),
});
export type Ack = z.infer<typeof Ack>;

/**
 * Agent → function: lines as the tool prints them. May be lost: the result repeats them, as far as they fit. `at` is the
 * number of characters (UTF-16 code units) before `text`, which reveals overlapping, repeated and missing pieces.
 */
export const Output = z.object({ ...base, t: z.literal('output'), at: z.int().min(0), text: z.string() });
export type Output = z.infer<typeof Output>;

/** Agent → function: the progress of the tool. */
export const Progress = z.object({
  ...base,
  t: z.literal('progress'),
  seq: z.int().min(0),
  phase: z.string().max(200),
  percent: z.number().min(0).max(100).nullable(),
});
export type Progress = z.infer<typeof Progress>;

/** Longest `message` of a result that is shown, in characters. */
export const MAX_MESSAGE_CHARACTERS = 1_000;

const Outcome = z.object({
  state: FinalState,
  reason: Reason.nullable(),
  /** Why it failed, in one sentence for a person; null after a success. */
  message: z.string().nullable(),
  /** What the tool printed, from the beginning. */
  output: z.string(),
  /** Whether the end of the output, or the result, was left out, because it did not fit into a message. */
  truncated: z.boolean(),
  /** The parsed output. Receivers validate it by the schema of the tool, with `parseToolResult`. */
  result: z.unknown(),
});

/** How a job ended: the same on the agent, on the wire, in the row, in the API and in events. */
export type JobOutcome = Omit<z.infer<typeof Outcome>, 'result'> & { result: ToolResult | null };

/** As an agent reports it: never `lost`. */
export type AgentOutcome = JobOutcome & { state: Exclude<FinalState, 'lost'> };

/** The part of it that is stored in the row beside the other columns. */
export const StoredOutcome = Outcome.pick({ message: true, output: true, truncated: true, result: true });

/** How a job ended, and when it began and ended (Unix, ms); `startedAt` is null when it was never started. */
export type EndedJob = JobOutcome & { startedAt: number | null; endedAt: number };

/** Agent → function and ingest: the result. Resent until ingest confirms with `stored`. Encoded by `wire.ts`. */
export const Result = z.object({
  ...base,
  t: z.literal('result'),
  ...Outcome.shape,
  state: FinalState.exclude(['lost']),
  startedAt: Millis.nullable(),
  endedAt: Millis,
  /** Of a command that the agent ran by its plan: then the result also creates the job. */
  planned: PlannedRun.optional(),
});
export type Result = z.infer<typeof Result>;

/** Everything an agent may publish on a reply topic; results have a topic of their own. */
export const Reply = z.discriminatedUnion('t', [Ack, Output, Progress]);
export type Reply = z.infer<typeof Reply>;

/** Agent → ingest: devices that it sees, or no longer does. Resent until `sighted` confirms; may arrive repeated, in any order. */
export const Sightings = z
  .object({
    v: ProtocolVersion,
    t: z.literal('sightings'),
    ...SightingsBatch.shape,
    /** Needs no confirmation: the agent repeats the content until one of its messages that request one is confirmed. */
    answer: z.literal(false).optional(),
  })
  .superRefine((batch, context) => {
    const message = faultOf(batch);
    if (message !== null) context.addIssue({ code: 'custom', message, path: ['sightings'] });
  });
export type Sightings = z.infer<typeof Sightings>;

/** Agent → ingest; `offline` is also its last will. May only be extended: every version of the service reads `v` from it. */
export const Presence = z.object({
  /** The version of the protocol that the agent speaks. */
  v: z.int().min(1),
  t: z.literal('presence'),
  state: z.enum(['online', 'draining', 'offline']),
  /** When this connection was opened (Unix, ms), so that a last will of an older connection can be ignored. */
  session: Millis,
  version: z.string().max(40).optional(),
  /** The programs that tools need, with the version found of each; null = not installed. */
  programs: z
    .record(z.string().max(40), z.string().max(100).nullable())
    .refine((programs) => Object.keys(programs).length <= 50, { error: 'expected at most 50 programs' })
    .optional(),
  /** Privileges of the agent on its host, such as `raw-sockets`. */
  capabilities: z.array(z.string().max(40)).max(20).optional(),
  /** Networks the host is attached to, in CIDR notation. */
  networks: z.array(z.string().max(65)).max(200).optional(),
  host: AgentHost.optional(),
  load: Load.optional(),
  discovery: DiscoveryState.optional(),
  /** The `revision` of its settings: the service sends newer ones only to agents with older ones. */
  settings: Millis.optional(),
  /** The `revision` of its plan. */
  plan: Millis.optional(),
  update: UpdateState.optional(),
  /** Whether the service has permitted `topics.direct` in this session; absent when the agent does not support it. */
  direct: z.boolean().optional(),
});
export type Presence = z.infer<typeof Presence>;

/**
 * Broker → ingest: a connection has begun or ended. The names are those of AWS IoT Core's lifecycle events, which may
 * arrive late, twice and in any order; its other fields are not needed.
 */
export const ConnectionEvent = z.object({
  /** Of an agent: `<stage>:<site>:<name>`. */
  clientId: z.string().max(128),
  eventType: z.enum(['connected', 'disconnected']),
  /** Of an agent: the id of the certificate with which it has authenticated itself. */
  principalIdentifier: z.string().max(256),
  /** Unix, ms; accurate to about two minutes according to earlier documentation of AWS. */
  timestamp: Millis,
  /** The same for both events of one connection, greater for the client's next. Restarts at 0 after about an hour offline. */
  versionNumber: z.int().min(0),
  /** Of `disconnected` only, such as `CONNECTION_LOST`. */
  disconnectReason: z.string().max(100).optional(),
});
export type ConnectionEvent = z.infer<typeof ConnectionEvent>;
