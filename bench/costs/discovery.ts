/**
 * What discovery costs in the cloud, beside the rest: computed from what was measured of messages and writes
 * (`test/discovery.test.ts`) and from list prices.
 */
import { MAX_SIGHTINGS } from '../../shared/agent/discovery.ts';
import type { Deployment } from './deployment.ts';
import { markdownTable } from './markdown-table.ts';
import { totalOf } from './month.ts';
import { CALLS_OF_A_QUEUED_MESSAGE, DAYS_A_MONTH, INGEST_SECONDS, PRICES, ROW_BYTES } from './prices.ts';

/** What is assumed of a site. */
const TRANSITIONS_PER_DEVICE = 5;
const CYCLES_A_DAY = 24 * 60;
/** A dashboard that asks every 13 seconds, as in the table above it. */
const CALLS_A_DAY = 6_600;
/** Instances of ingest and of the API that start anew in a day, and read the whole collection. */
const COLD_LOADS_A_DAY = 24;

/** A sighting with a name and a vendor, as JSON. */
const SIGHTING_BYTES = 250;
const IOT_UNIT_BYTES = 5_000;
const GB = 1e9;
/** What an eventually consistent read unit covers. */
const READ_UNIT_BYTES = 8_192;
/** Devices of a change that is one row of the journal. */
export const DEVICES_OF_A_CHANGE = 25;
/** Promised beside one for each transition. */
const WRITES_OF_A_CHANGE = 4;
/**
 * Ingest confirms each message of the agent by one that it publishes, that is delivered to the agent, and that the agent
 * acknowledges: IoT Core bills an acknowledgement of a client as a message.
 */
const UNITS_OF_A_CONFIRMATION = 3;
/** Of a row of the journal, packed, for each device in it and beside them: measured with sightings of 1 to 25 devices. */
export const JOURNAL_BYTES = { row: 150, device: 25 };
/** DynamoDB bills it for each row that it keeps. */
const ROW_OVERHEAD_BYTES = 100;
/** As `store/devices/journal.ts` has it. */
const JOURNAL_DAYS = 90;
/** The hooks function is called for each row of the journal, and looks for hooks of the site. */
const HOOK_LOOK_SECONDS = 0.05;
const LOG_LINE_BYTES = 300;

export interface DailyUse {
  messages: number;
  iotUnits: number;
  rules: number;
  invocations: number;
  /** Versions of the collection. */
  changes: number;
  writes: number;
  reads: number;
  /** That are added to the journal. */
  journalBytes: number;
}

/** What one site with one agent uses in a day, beside what it uses without discovery. */
export function dailyUse(devices: number, transitionsPerDevice = TRANSITIONS_PER_DEVICE): DailyUse {
  const transitions = devices * transitionsPerDevice;
  // Who has come is told after the look, who has gone after the second look. Transitions are independent of each other.
  const occasions = 2 * CYCLES_A_DAY;
  const withNews = occasions * (1 - Math.exp(-transitions / occasions));
  const inOne = withNews === 0 ? 0 : transitions / withNews;
  const messages = withNews * Math.max(1, Math.ceil(inOne / MAX_SIGHTINGS)) + Math.ceil(devices / MAX_SIGHTINGS);
  const payloadUnits =
    withNews * Math.ceil((inOne * SIGHTING_BYTES) / IOT_UNIT_BYTES) +
    Math.ceil((devices * SIGHTING_BYTES) / IOT_UNIT_BYTES);
  const changes = withNews * Math.ceil(inOne / DEVICES_OF_A_CHANGE);
  return {
    messages,
    iotUnits: payloadUnits + UNITS_OF_A_CONFIRMATION * messages,
    rules: payloadUnits,
    invocations: messages,
    changes,
    writes: transitions + WRITES_OF_A_CHANGE * changes,
    reads:
      // The agents of the site and the version of its collection; the version again for each change.
      2 * messages +
      changes +
      // Whether the site has hooks.
      changes +
      // A read that is behind catches up from the journal.
      Math.min(CALLS_A_DAY, changes) +
      COLD_LOADS_A_DAY * Math.ceil((devices * ROW_BYTES) / READ_UNIT_BYTES),
    journalBytes: changes * (JOURNAL_BYTES.row + ROW_OVERHEAD_BYTES) + transitions * JOURNAL_BYTES.device,
  };
}

/** US dollars a month. @param memoryGb of functions, by their names */
export function monthlyCost(
  { messages, iotUnits, rules, invocations, changes, writes, reads, journalBytes }: DailyUse,
  { Ingest: ingestGb = 0, Hooks: hooksGb = 0 }: Deployment['memoryGb'],
): { broker: number; functions: number; database: number; logs: number } {
  const { million, gb } = PRICES;
  const inMonth = (millionths: number) => (millionths * DAYS_A_MONTH) / 1_000_000;
  const ingest = INGEST_SECONDS * ingestGb * million.gbSecond + million.invocation;
  const hooks = HOOK_LOOK_SECONDS * hooksGb * million.gbSecond + million.invocation;
  const journal = ((journalBytes * JOURNAL_DAYS) / GB) * (gb.tableKept + gb.backupKept);
  const queued = CALLS_OF_A_QUEUED_MESSAGE * million.queueCall;
  return {
    broker: inMonth(iotUnits * million.iotMessage + rules * million.iotRule + messages * queued),
    functions: inMonth(invocations * ingest + changes * hooks),
    database: inMonth(writes * million.writeUnit + reads * million.readUnit) + journal,
    logs: ((messages * DAYS_A_MONTH * LOG_LINE_BYTES) / GB) * (gb.logWritten + gb.logKept),
  };
}

const COLUMNS = [100, 10_000];

export function discoveryTable(memoryGb: Deployment['memoryGb']): string {
  const uses = COLUMNS.map((devices) => dailyUse(devices));
  const costs = uses.map((use) => monthlyCost(use, memoryGb));
  const count = (value: number) => (Math.round(value / 10) * 10).toLocaleString('en');
  const dollars = (value: number) => value.toFixed(2);
  return markdownTable([
    ['', ...COLUMNS.map((devices) => `${devices.toLocaleString('en')} devices`)],
    ['messages of the agent, a day', ...uses.map(({ messages }) => count(messages))],
    ['messages that IoT Core bills, of 5 KB', ...uses.map(({ iotUnits }) => count(iotUnits))],
    ['rules, with their actions', ...uses.map(({ rules }) => count(rules))],
    ['invocations of ingest', ...uses.map(({ invocations }) => count(invocations))],
    ['invocations of the hooks function, at most', ...uses.map(({ changes }) => count(changes))],
    ['DynamoDB: writes, at most', ...uses.map(({ writes }) => count(writes))],
    ['DynamoDB: reads', ...uses.map(({ reads }) => count(reads))],
    ['**a month:** IoT Core and queue', ...costs.map(({ broker }) => dollars(broker))],
    ['Lambda', ...costs.map(({ functions }) => dollars(functions))],
    ['DynamoDB, with a journal of 90 days', ...costs.map(({ database }) => dollars(database))],
    ['logs', ...costs.map(({ logs }) => dollars(logs))],
    ['**together**', ...costs.map((all) => `**${dollars(totalOf(all))}**`)],
  ]);
}
