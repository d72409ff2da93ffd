/**
 * Makes checks on the agent's host of the lab, as the agent does, but for their intervals and the clock: that begins with a
 * batch, and jumps to its end when the test says so. The first argument says how, as JSON; each message that the agent
 * publishes is a line of JSON on standard output, and is confirmed.
 */
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pino } from 'pino';
import { CheckRunner } from '../../agent/checks/check-runner.ts';
import { publicAddress, runProbe } from '../../agent/checks/probe.ts';
import { createRunProcess } from '../../agent/host/run-process.ts';
import { parsePolicy } from '../../agent/jobs/policy.ts';
import { Measurements } from '../../agent/measurements/measurements.ts';
import { UpstreamLog } from '../../agent/upstream/upstream-log.ts';
import { BATCH_MS, type MeasurementsBody } from '../../shared/agent/measurements.ts';
import { EMPTY_PLAN, type PlannedCheck } from '../../shared/agent/plan.ts';
import { unpackMeasurements } from '../../shared/agent/wire.ts';
import { TOOL_SETTINGS } from '../support/agent/tool-settings.ts';

export interface CheckOptions {
  /** For what is kept. */
  folder: string;
  checks: PlannedCheck[];
  intervalMs: { internet: number; other: number };
  internetInfoUrl: string;
}

/** `aheadMs`: of the clock of this process. */
export type CheckEvent = { event: 'begun'; aheadMs: number } | { event: 'told'; message: MeasurementsBody };

const options: CheckOptions = JSON.parse(process.argv[2] ?? '{}');
const tell = (event: CheckEvent) => console.log(JSON.stringify(event));
const log = pino({ level: 'warn' }, process.stderr);

let aheadMs = BATCH_MS - (Date.now() % BATCH_MS);
const now = () => Date.now() + aheadMs;

async function open() {
  const upstream = await UpstreamLog.open(join(options.folder, 'upstream.log'), log, { now });
  const measurements = new Measurements({
    upstream,
    async publish(payload) {
      const message = unpackMeasurements(payload);
      if ('theirs' in message) throw new Error('a message of another version');
      tell({ event: 'told', message });
      setImmediate(() => measurements.measured(message.n));
    },
    log,
    now,
  });
  measurements.connected();
  return { measurements, upstream };
}

const settings = { ...TOOL_SETTINGS, internetInfoUrl: options.internetInfoUrl };
const means = { run: createRunProcess(), policy: parsePolicy({}), settings };
const { measurements, upstream } = await open();
const runner = new CheckRunner({
  client: 'local:home:main',
  probe: (probe, signal, wantsPath) => runProbe(probe, means, signal, wantsPath),
  publicAddress: (signal) => publicAddress(means, signal),
  measurements,
  log,
  now,
  intervalMs: ({ probe }) => options.intervalMs[probe.kind === 'internet' ? 'internet' : 'other'],
});
tell({ event: 'begun', aheadMs });
runner.apply({ ...EMPTY_PLAN, checks: options.checks });
for await (const line of createInterface({ input: process.stdin })) {
  if (line !== 'end') continue;
  // As after a restart, some minutes later: the batch has ended meanwhile.
  runner.stop();
  measurements.stop();
  await upstream.close();
  aheadMs += 2 * BATCH_MS;
  await open();
}
process.exit(0);
