/** What a deployment costs in a month under a given load, without discovery. */
import type { Deployment } from './deployment.ts';
import { CALLS_OF_A_QUEUED_MESSAGE, DAYS_A_MONTH, INGEST_SECONDS, PRICES, ROW_BYTES } from './prices.ts';

export interface Load {
  /** Each with one agent. */
  sites: number;
  /** Of all sites. */
  devices: number;
  /** Requests in a month, without those that run a command. */
  calls: number;
  commands: number;
  /** For which the request of a command waits, and a function with it. */
  waitSeconds: number;
}

export interface MonthlyCosts {
  gateway: number;
  functions: number;
  broker: number;
  database: number;
  queues: number;
  logs: number;
  sent: number;
  monitoring: number;
}

/** A short read, and a command beside its waiting. */
const READ = { seconds: 0.06, readUnits: 1.5, logBytes: 1_200 };
/**
 * Messages: the request, acks, the result with its confirmation, and the announcements of how busy the agent is, each
 * delivered and confirmed. Handled by ingest: the result, and an announcement before and after. Writes: the job, its
 * states and its result, and both announcements.
 */
export const COMMAND = { seconds: 0.3, messages: 20, handled: 3, writeUnits: 11, readUnits: 4, logBytes: 3_600 };
/**
 * An agent that loses its connection and comes back: last will, presence, and two events of the broker. Messages: the will,
 * its connecting and subscribing, which are billed as such, its presence, and the settings that it is told, which are
 * published, delivered and acknowledged.
 */
export const RECONNECT = { messages: 7, handled: 4, writeUnits: 8 };
const RECONNECTS_A_MONTH = DAYS_A_MONTH;
/** Mean of an answer, most of which are compressed. */
const ANSWER_BYTES = 5_000;
/** A job with its result and its entry of the audit, which are kept for about a month. */
const JOB_BYTES = 5_000;
/** Lambda asks a queue by five calls at a time, each of which waits for 20 seconds. */
const POLLS_A_MINUTE = 5 * 3;
const MINUTES_A_MONTH = DAYS_A_MONTH * 24 * 60;
const GB = 1e9;

export function monthlyCosts(deployment: Deployment, load: Load): MonthlyCosts {
  const { million, gb } = PRICES;
  const { sites, devices, calls, commands } = load;
  const reconnects = sites * RECONNECTS_A_MONTH;
  const handled = commands * COMMAND.handled + reconnects * RECONNECT.handled;
  const millionths = {
    gateway: (calls + commands) * million.call,
    functions:
      calls * invocation(deployment, 'Devices', READ.seconds) +
      commands * invocation(deployment, 'Nettools', COMMAND.seconds) +
      handled * invocation(deployment, 'Ingest', INGEST_SECONDS),
    broker:
      sites * MINUTES_A_MONTH * million.connectedMinute +
      (commands * COMMAND.messages + reconnects * RECONNECT.messages) * million.iotMessage +
      handled * million.iotRule,
    database:
      (calls * READ.readUnits + commands * COMMAND.readUnits) * million.readUnit +
      (commands * COMMAND.writeUnits + reconnects * RECONNECT.writeUnits) * million.writeUnit,
    queues:
      (deployment.polledQueues * POLLS_A_MINUTE * MINUTES_A_MONTH + handled * CALLS_OF_A_QUEUED_MESSAGE) *
      million.queueCall,
    traces: (calls + commands) * deployment.traced * million.trace,
  };
  const logGb = (calls * READ.logBytes + commands * COMMAND.logBytes) / GB;
  const keptGb = (devices * ROW_BYTES + commands * JOB_BYTES) / GB;
  const keptLogs = gb.logKept * (deployment.logRetentionDays / DAYS_A_MONTH);
  return {
    gateway: millionths.gateway / 1e6,
    functions: millionths.functions / 1e6 + waitingCost(deployment, load),
    broker: millionths.broker / 1e6,
    database: millionths.database / 1e6 + keptGb * (gb.tableKept + gb.backupKept),
    queues: millionths.queues / 1e6,
    logs: millionths.traces / 1e6 + logGb * (gb.logWritten + keptLogs),
    sent: (((calls + commands) * ANSWER_BYTES) / GB) * gb.sent,
    monitoring: monitoringCost(deployment),
  };
}

/** A part of `functions`. */
export function waitingCost(deployment: Deployment, { commands, waitSeconds }: Load): number {
  return (commands * waitSeconds * memoryOf(deployment, 'Nettools') * PRICES.million.gbSecond) / 1e6;
}

export function monitoringCost({ alarmMetrics, countedMetrics, dashboards, secrets }: Deployment): number {
  const { month } = PRICES;
  return (
    alarmMetrics * month.alarmMetric +
    countedMetrics * month.countedMetric +
    dashboards * month.dashboard +
    secrets * month.secret
  );
}

/** @param firewallRules of a deployment with a firewall */
export function firewallCost(firewallRules: number, { calls, commands }: Load): number {
  const { month, million } = PRICES;
  return month.firewall + firewallRules * month.firewallRule + ((calls + commands) * million.firewallCall) / 1e6;
}

/** Of API Gateway, Lambda and the log, for a million short reads by a function with this memory. */
export function costOfMillionReads(memoryGb: number): number {
  const { million, gb } = PRICES;
  const logs = (READ.logBytes / GB) * 1e6 * (gb.logWritten + gb.logKept);
  return million.call + million.invocation + READ.seconds * memoryGb * million.gbSecond + logs;
}

export function totalOf(costs: Readonly<Record<string, number>> | MonthlyCosts): number {
  return Object.values(costs).reduce((sum, part) => sum + part, 0);
}

/** Of a million invocations. */
function invocation(deployment: Deployment, name: string, seconds: number): number {
  const { million } = PRICES;
  return million.invocation + seconds * memoryOf(deployment, name) * million.gbSecond;
}

function memoryOf({ memoryGb }: Deployment, name: string): number {
  const memory = memoryGb[name];
  if (memory === undefined) throw new Error(`the template has no function ${name}`);
  return memory;
}
