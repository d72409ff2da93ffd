/** A fleet whose agents lose IoT Core at the same moment: when they are connected again, and when the table says so. */
import { BackOff } from '../../agent/link/back-off.ts';
import { Allowance } from '../../local/connection-rate.ts';
import { seeded } from '../seeded.ts';

export interface Outage {
  agents: number;
  /** How long IoT Core cannot be reached. */
  seconds: number;
  /** Attempts to connect that IoT Core lets through in a second; it refuses the others. */
  connectsPerSecond: number;
}

export interface Return {
  /** How many agents are connected in each second after the outage. */
  connected: number[];
}

const STEP_MS = 50;
/** A last will and an event of the broker when an agent goes; its presence and another event when it is back. */
const MESSAGES = 2;

/** Plays an outage with the back-off of the agent, in virtual time. The same outage always has the same result. */
export function playOutage({ agents, seconds, connectsPerSecond }: Outage): Return {
  const random = seeded(1);
  let now = 0;
  const clock = () => now;
  const quota = new Allowance(connectsPerSecond, clock);
  const endsAt = seconds * 1_000;
  /** The agents that try to connect in each step. */
  const steps: BackOff[][] = [Array.from({ length: agents }, () => new BackOff(clock, random))];
  const connected: number[] = [];
  let away = agents;
  for (let step = 0; away > 0; step++) {
    now = step * STEP_MS;
    const trying = steps[step] ?? [];
    delete steps[step];
    const second = Math.floor((now - endsAt) / 1_000);
    for (const backOff of trying) {
      if (second >= 0 && quota.take()) {
        connected[second] = (connected[second] ?? 0) + 1;
        away--;
      } else {
        const next = Math.ceil((now + backOff.nextDelayMs()) / STEP_MS);
        steps[next] ??= [];
        steps[next].push(backOff);
      }
    }
  }
  return { connected: Array.from(connected, (count = 0) => count) };
}

/**
 * When the presence of all agents is true again, in seconds after the outage. The queue is handled in its order, and
 * first of all that everybody has gone.
 * @param perSecond messages that ingest handles in a second
 */
export function presenceTrueAfter({ agents, seconds }: Outage, { connected }: Return, perSecond: number): number {
  let queued = Math.max(0, agents * MESSAGES - seconds * perSecond);
  let second = 0;
  for (; second < connected.length || queued > perSecond; second++) {
    queued = Math.max(0, queued + (connected[second] ?? 0) * MESSAGES - perSecond);
  }
  return second + queued / perSecond;
}
