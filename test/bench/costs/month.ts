/** What a deployment costs in a month under a given load, by what is paid for. */
import { JOURNAL_DAYS } from '../../../functions/devices/collection/journal.ts';
import { devicesKeptIn } from '../../../functions/devices/collection/snapshots.ts';
import type { Deployment } from './deployment.ts';
import { dailyUse, READS_OF_A_MESSAGE } from './discovery.ts';
import { DAYS_A_MONTH, INGEST_SECONDS, INGEST_SECONDS_BESIDE, PRICES, ROW_BYTES } from './prices.ts';

export interface Load {
  /** Each with one agent. */
  sites: number;
  devicesPerSite: number;
  hasDiscovery: boolean;
  /** Requests in a month, without those that run a command. */
  calls: number;
  commands: number;
  /** For which the request of a command waits, and a function with it. */
  waitSeconds: number;
}

interface Costs {
  gateway: number;
  /** Functions that wait for the end of commands. */
  waiting: number;
  functions: number;
  messages: number;
  connections: number;
  rules: number;
  queues: number;
  writes: number;
  reads: number;
  kept: number;
  logs: number;
  sent: number;
  alarms: number;
}

/** A short read, and a command beside its waiting. */
const READ = { seconds: 0.06, readUnits: 1.5, logBytes: 1_200 };
/**
 * IoT Core counts what is published, what is delivered, and what a client acknowledges, so that a message from one to
 * another is three. Of a command these are the request, the ack, the result, and that it is stored. Of a long one it is
 * also announced that the agent is busy, and that it no longer is. Handled by ingest: the result. Writes: the job, its states
 * and its result.
 */
const MESSAGE_TO_ANOTHER = 3;
const COMMAND = {
  seconds: 0.3,
  messages: 4 * MESSAGE_TO_ANOTHER,
  handled: 1,
  writeUnits: 7,
  readUnits: 4,
  logBytes: 3_600,
};
const ANNOUNCEMENTS = { count: 2, writeUnits: 2, ofCommandsOfSeconds: 15 };
/** An agent comes back: will, connecting, subscribing, presence, settings and their receipt; two events of the broker. */
const RECONNECT = { messages: 4 + MESSAGE_TO_ANOTHER, handled: 5, writeUnits: 9 };
const RECONNECTS_A_MONTH = DAYS_A_MONTH;
/** Mean of an answer, most of which are compressed. */
const ANSWER_BYTES = 5_000;
/** A job with its result and its entry of the audit, which are kept for about a month. */
const JOB_BYTES = 5_000;
/** Lambda asks a queue by five calls at a time, each of which waits for 20 seconds. */
const POLLERS = 5;
const POLLS_A_MINUTE = POLLERS * 3;
const MINUTES_A_MONTH = DAYS_A_MONTH * 24 * 60;
const SECONDS_A_MONTH = MINUTES_A_MONTH * 60;
const MOST_OF_A_BATCH = 10;
/** Each change looks whether its site has hooks; these sites have none. */
const HOOKS_READ_UNITS = 0.5;
const INGEST_LINE_BYTES = 300;
const GB = 1e9;

export function monthlyCosts(deployment: Deployment, load: Load): Costs {
  const { million, gb } = PRICES;
  const { sites, calls, commands, devicesPerSite } = load;
  const devices = sites * devicesPerSite;
  const reconnects = sites * RECONNECTS_A_MONTH;
  const day = dailyUse(load.hasDiscovery ? devicesPerSite : 0, {
    readsOfOthers: calls / sites / DAYS_A_MONTH,
    notInMemory: Math.max(0, 1 - devicesKeptIn(memoryOf(deployment, 'Ingest') * 1024) / devices),
  });
  /** Of all sites in a month. */
  const seen = (ofADay: number) => (load.hasDiscovery ? ofADay * sites * DAYS_A_MONTH : 0);
  const sightings = seen(day.messages);
  const changes = seen(day.changes);
  const isLong = load.waitSeconds >= ANNOUNCEMENTS.ofCommandsOfSeconds;
  const announced = isLong ? commands * ANNOUNCEMENTS.count : 0;
  const handled = commands * COMMAND.handled + announced + reconnects * RECONNECT.handled;
  const perCall = gathered(sightings, deployment.gatherSeconds, POLLERS, MOST_OF_A_BATCH);
  const logGb = (calls * READ.logBytes + commands * COMMAND.logBytes + handled * INGEST_LINE_BYTES) / GB;
  const keptGb =
    (devices * ROW_BYTES + commands * JOB_BYTES + (seen(day.journalBytes) * JOURNAL_DAYS) / DAYS_A_MONTH) / GB;
  const keptLogs = gb.logKept * (deployment.logRetentionDays / DAYS_A_MONTH);
  const millionths = {
    gateway: (calls + commands) * million.call,
    waiting: commands * load.waitSeconds * memoryOf(deployment, 'Commands') * million.gbSecond,
    functions:
      calls * invocation(deployment, 'Data', READ.seconds) +
      commands * invocation(deployment, 'Commands', COMMAND.seconds) +
      handled * invocation(deployment, 'Ingest', INGEST_SECONDS) +
      (sightings / perCall) * invocation(deployment, 'Ingest', INGEST_SECONDS + (perCall - 1) * INGEST_SECONDS_BESIDE),
    messages:
      (commands * COMMAND.messages + reconnects * RECONNECT.messages + seen(day.confirmations) * MESSAGE_TO_ANOTHER) *
      million.iotMessage,
    connections: sites * MINUTES_A_MONTH * million.connectedMinute,
    rules: (handled + seen(day.payloadUnits)) * million.iotRule,
    queues:
      (deployment.polledQueues * POLLS_A_MINUTE * MINUTES_A_MONTH +
        callsOfQueues(handled, 1) +
        callsOfQueues(sightings, perCall)) *
      million.queueCall,
    writes:
      (commands * COMMAND.writeUnits +
        announced * ANNOUNCEMENTS.writeUnits +
        reconnects * RECONNECT.writeUnits +
        seen(day.writes)) *
      million.writeUnit,
    reads:
      (calls * READ.readUnits + commands * COMMAND.readUnits + seen(day.reads) + changes * HOOKS_READ_UNITS) *
      million.readUnit,
  };
  const used = Object.fromEntries(
    Object.entries(millionths).map(([name, millionth]) => [name, millionth / 1e6]),
  ) as Record<keyof typeof millionths, number>;
  return {
    ...used,
    kept: keptGb * (gb.tableKept + gb.backupKept),
    logs: logGb * (gb.logWritten + keptLogs),
    sent: (((calls + commands) * ANSWER_BYTES) / GB) * gb.sent,
    alarms: monitoringCost(deployment),
  };
}

/** What is sent into a queue, received and deleted, of which the last two are of several at a time. */
function callsOfQueues(messages: number, inOne: number): number {
  return messages * (1 + 2 / inOne);
}

/** How many messages come together in one call, when so many come in a month and each taker gathers them for so long. */
function gathered(perMonth: number, seconds: number, takers: number, most: number): number {
  return Math.min(most, Math.max(1, ((perMonth / SECONDS_A_MONTH) * seconds) / takers));
}

export function monitoringCost({ alarmMetrics, countedMetrics, secrets }: Deployment): number {
  const { month } = PRICES;
  return alarmMetrics * month.alarmMetric + countedMetrics * month.countedMetric + secrets * month.secret;
}

/** Of a thousand commands for which nobody waits, such as those of one batch. */
export function thousandCommandsCost(deployment: Deployment): number {
  const idle = { sites: 1, devicesPerSite: 0, hasDiscovery: false, calls: 0, commands: 0, waitSeconds: 0 };
  const of = (commands: number) => totalOf(monthlyCosts(deployment, { ...idle, commands }));
  const gateway = 1_000 * (PRICES.million.call / 1e6);
  return of(1_000) - of(0) - gateway;
}

/** A person who signs in: three calls; rows of the attempt, the person, the token, the audit. */
const SIGN_IN = { calls: 3, writeUnits: 8, readUnits: 6 };
/** An agent that is enrolled: two calls, rows of the code, the agent, the audit; thing, certificate and their bonds. */
const ENROLMENT = { calls: 2, writeUnits: 10, readUnits: 6, registryCalls: 6 };

export function thousandSignInsCost(deployment: Deployment): number {
  return thousandCallsCost(deployment, SIGN_IN);
}

export function thousandEnrolmentsCost(deployment: Deployment): number {
  return thousandCallsCost(deployment, ENROLMENT) + (ENROLMENT.registryCalls * PRICES.million.registryCall) / 1e3;
}

function thousandCallsCost(deployment: Deployment, { calls, writeUnits, readUnits }: typeof SIGN_IN): number {
  const { million } = PRICES;
  const ofACall = million.call + invocation(deployment, 'Access', COMMAND.seconds);
  return (calls * ofACall + writeUnits * million.writeUnit + readUnits * million.readUnit) / 1e3;
}

/** What an agent has measured of its checks, which it says every five minutes: write units, and what ingest looks up. */
const MEASUREMENTS = { minutes: 5, writeUnits: 1.2, readUnits: READS_OF_A_MESSAGE };

/** A month in which the agent of each site runs one check a minute. */
export function checksCost(deployment: Deployment, sites: number): number {
  const { million } = PRICES;
  const messages = (sites * MINUTES_A_MONTH) / MEASUREMENTS.minutes;
  const perCall = gathered(messages, deployment.gatherSeconds, POLLERS, MOST_OF_A_BATCH);
  const ofAMessage =
    million.iotRule +
    callsOfQueues(1, perCall) * million.queueCall +
    invocation(deployment, 'Ingest', INGEST_SECONDS + (perCall - 1) * INGEST_SECONDS_BESIDE) / perCall +
    MEASUREMENTS.writeUnits * million.writeUnit +
    MEASUREMENTS.readUnits * million.readUnit;
  return (messages * ofAMessage) / 1e6;
}

/** By updates of agents, or by hosts with an enrolment code: strangers get no address. */
export function thousandDownloadsCost(megabytes: number): number {
  return megabytes * PRICES.gb.sent;
}

export function totalOf(costs: Partial<Costs>): number {
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
