/**
 * What discovery costs in the cloud, computed from what was measured of messages and writes (`test/discovery.test.ts`) and
 * from list prices. The table is part of DEPLOY.md, where a test compares it.
 */
import { MAX_SIGHTINGS } from '../shared/agent/discovery.ts';

/** US dollars for a million, by the list of us-east-1 in 2026, without any free tier. */
export const PRICES = {
  /** Of at most 5 KB; in either direction. */
  iotMessage: 1.0,
  /** A rule that is triggered by 5 KB, and its action. */
  iotRule: 0.15 + 0.15,
  /** Sent, received, and deleted. */
  queuedMessage: 3 * 0.4,
  invocation: 0.2,
  gbSecond: 13.3,
  writeUnit: 0.625,
  readUnit: 0.125,
  /** By API Gateway. */
  call: 3.5,
  /** What a short read costs in Lambda, and its lines in the log: as in the table of all costs in DEPLOY.md. */
  computeOfCall: 1.0,
  logsOfCall: 2.0,
};

/** What is assumed of a site. */
const TRANSITIONS_PER_DEVICE = 5;
const CYCLES_A_DAY = 24 * 60;
/** A dashboard that asks every 13 seconds, as in the table above it. */
const CALLS_A_DAY = 6_600;
/** Instances of ingest and of the API that start anew in a day, and read the whole collection. */
const COLD_LOADS_A_DAY = 24;
export const DAYS_A_MONTH = 30.4;

/** A sighting with a name and a vendor, as JSON. */
const SIGHTING_BYTES = 250;
const IOT_UNIT_BYTES = 5_000;
/** A device in DynamoDB, with its keys. */
const ROW_BYTES = 400;
/** What an eventually consistent read unit covers. */
const READ_UNIT_BYTES = 8_192;
/** Devices of a change that is one row of the journal. */
const DEVICES_OF_A_CHANGE = 25;
/** Promised beside one for each transition. */
const WRITES_OF_A_CHANGE = 4;
const INGEST = { seconds: 0.15, gb: 0.5 };

export interface DailyUse {
  messages: number;
  iotUnits: number;
  rules: number;
  invocations: number;
  writes: number;
  reads: number;
}

/** What one site with one agent uses in a day, beside what it uses without discovery. */
export function dailyUse(devices: number, transitionsPerDevice = TRANSITIONS_PER_DEVICE): DailyUse {
  const transitions = devices * transitionsPerDevice;
  // Who has come is told after the look, who has gone after the second look. Transitions are independent of each other.
  const occasions = 2 * CYCLES_A_DAY;
  const withNews = occasions * (1 - Math.exp(-transitions / occasions));
  const inOne = withNews === 0 ? 0 : transitions / withNews;
  const messages = withNews + Math.ceil(devices / MAX_SIGHTINGS);
  const payloadUnits =
    withNews * Math.ceil((inOne * SIGHTING_BYTES) / IOT_UNIT_BYTES) +
    Math.ceil((devices * SIGHTING_BYTES) / IOT_UNIT_BYTES);
  const changes = withNews * Math.ceil(inOne / DEVICES_OF_A_CHANGE);
  return {
    messages,
    // Each message is confirmed by one that is published and delivered.
    iotUnits: payloadUnits + 2 * messages,
    rules: payloadUnits,
    invocations: messages,
    writes: transitions + WRITES_OF_A_CHANGE * changes,
    reads:
      // The agents of the site and the version of its collection; the version again for each change.
      2 * messages +
      changes +
      // A read that is behind catches up from the journal.
      Math.min(CALLS_A_DAY, changes) +
      COLD_LOADS_A_DAY * Math.ceil((devices * ROW_BYTES) / READ_UNIT_BYTES),
  };
}

/** US dollars a month. */
export function monthlyCost({ messages, iotUnits, rules, invocations, writes, reads }: DailyUse): {
  broker: number;
  ingest: number;
  database: number;
} {
  const inMonth = (millionths: number) => (millionths * DAYS_A_MONTH) / 1_000_000;
  const compute = INGEST.seconds * INGEST.gb * PRICES.gbSecond + PRICES.invocation;
  return {
    broker: inMonth(iotUnits * PRICES.iotMessage + rules * PRICES.iotRule + messages * PRICES.queuedMessage),
    ingest: inMonth(invocations * compute),
    database: inMonth(writes * PRICES.writeUnit + reads * PRICES.readUnit),
  };
}

const COLUMNS = [100, 10_000];

/** The table of DEPLOY.md. */
export function costsTable(): string {
  const uses = COLUMNS.map((devices) => dailyUse(devices));
  const costs = uses.map(monthlyCost);
  const count = (value: number) => (Math.round(value / 10) * 10).toLocaleString('en');
  const dollars = (value: number) => value.toFixed(2);
  const rows = [
    ['', ...COLUMNS.map((devices) => `${devices.toLocaleString('en')} devices`)],
    ['messages of the agent, a day', ...uses.map(({ messages }) => count(messages))],
    ['messages that IoT Core bills, of 5 KB', ...uses.map(({ iotUnits }) => count(iotUnits))],
    ['rules, with their actions', ...uses.map(({ rules }) => count(rules))],
    ['invocations of ingest', ...uses.map(({ invocations }) => count(invocations))],
    ['DynamoDB: writes, at most', ...uses.map(({ writes }) => count(writes))],
    ['DynamoDB: reads', ...uses.map(({ reads }) => count(reads))],
    ['**a month:** IoT Core and queue', ...costs.map(({ broker }) => dollars(broker))],
    ['Lambda', ...costs.map(({ ingest }) => dollars(ingest))],
    ['DynamoDB', ...costs.map(({ database }) => dollars(database))],
    ['**together**', ...costs.map((all) => `**${dollars(all.broker + all.ingest + all.database)}**`)],
  ];
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join(' | ')} |\n`;
  const rule = widths.map((width, i) => (i === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`));
  const [head = [], ...body] = rows;
  return [head, rule, ...body].map(line).join('');
}
