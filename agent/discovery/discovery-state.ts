/** What the agent's presence says of discovery: that it is off, or how it went in the last cycles. */
import { type DiscoveryState, MAX_PROBLEM_CHARACTERS } from '../../shared/agent/discovery.ts';
import { fitToTell } from '../../shared/agent/fit-text.ts';
import { ToolFailure } from '../host/tool-failure.ts';
import type { CycleReport } from './cycle.ts';
import type { KnownDevices } from './known-devices.ts';
import type { StrangeNetwork } from './known-networks.ts';

/** A network counts as watched as long as one of so many cycles has counted there. */
const WATCHED_FOR_CYCLES = 3;
const MOST_NETWORKS = 64;

export const NOT_ALLOWED: DiscoveryState = {
  state: 'not-allowed',
  problem: 'the policy file on the host of the agent forbids discovery',
};

export function isOff(state: DiscoveryState['state']): ToolFailure {
  const message =
    state === 'not-allowed'
      ? 'The policy file on the host of the agent forbids discovery'
      : 'Discovery is off at this site; to switch it on: lanreach site discover <site> on, or PATCH /sites/{site}';
  return new ToolFailure('discovery_off', message);
}

type Troubles = Pick<KnownDevices, 'crowded' | 'overBudget' | 'refused'>;

export class StateOfCycles {
  /** Cycles since the last one that counted, by network. */
  readonly #cyclesSince = new Map<string, number>();
  /** As they were first told: how many answer there may be another number in each cycle. */
  #strange: readonly StrangeNetwork[] = [];

  /**
   * @param networks that were looked at
   * @param problems what else is not watched, in one sentence each
   * @returns null when nothing has counted
   */
  after(
    { valid, strange, methods }: Pick<CycleReport, 'valid' | 'strange' | 'methods'>,
    networks: readonly string[],
    { crowded, overBudget, refused }: Troubles,
    problems: readonly string[],
  ): DiscoveryState | null {
    const isLikeBefore = namesOf(strange) === namesOf(this.#strange);
    if (!isLikeBefore) this.#strange = strange.slice(0, MOST_NETWORKS);
    const isStrange = new Set(strange.map(({ network }) => network));
    for (const each of new Set([...this.#cyclesSince.keys(), ...networks])) {
      const since = (this.#cyclesSince.get(each) ?? WATCHED_FOR_CYCLES) + 1;
      if (!networks.includes(each) || isStrange.has(each)) this.#cyclesSince.delete(each);
      else this.#cyclesSince.set(each, valid.has(each) ? 0 : Math.min(since, WATCHED_FOR_CYCLES));
    }
    if (valid.size === 0 && strange.length === 0) return null;
    const all = [
      ...strange.map(isAnother),
      ...crowded.map((each) => `somebody answers for nearly every address of ${each}: no new devices are taken there`),
      ...overBudget.map((each) => `so much changes in ${each} that it is told late`),
      ...problems,
      ...(refused > 0 ? ['there are more devices than the agent can keep'] : []),
    ];
    const watched = networks.filter((each) => (this.#cyclesSince.get(each) ?? WATCHED_FOR_CYCLES) < WATCHED_FOR_CYCLES);
    return {
      ...(valid.size === 0
        ? { state: 'another-network' }
        : {
            state: 'on',
            accuracy: methods.has('udp') ? 'reduced' : 'full',
            networks: watched.slice(0, MOST_NETWORKS),
          }),
      ...(strange.length === 0 ? {} : { strange: this.#strange.map((each) => ({ ...each })) }),
      ...(crowded.length === 0 ? {} : { crowded: crowded.slice(0, MOST_NETWORKS) }),
      ...problemOf(all),
    };
  }
}

function namesOf(strange: readonly StrangeNetwork[]): string {
  return JSON.stringify(strange.map(({ network, gateway }) => [network, gateway]));
}

function isAnother({ network, gateway }: StrangeNetwork): string {
  const why = gateway === null ? 'nobody who is known answers' : `its gateway is now ${gateway}`;
  const wayOut = `lanreach site discover <site> on --gateway ${gateway ?? '<MAC of a device there>'}`;
  return `${network} seems to be the network of somebody else: ${why}. Nothing is told of it until this host is back, or somebody confirms it: ${wayOut}`;
}

/** As many of these sentences as fit, each as a whole. */
export function problemOf(problems: readonly string[]): { problem?: string } {
  let text: string | null = null;
  for (const problem of problems) {
    const longer: string = text === null ? problem : `${text}; ${problem}`;
    if (text !== null && longer.length > MAX_PROBLEM_CHARACTERS) break;
    text = longer;
  }
  const fit = text === null ? null : fitToTell(text, MAX_PROBLEM_CHARACTERS);
  if (fit === null) return {};
  // One that is too long by itself ends with a word.
  const isCut = text !== null && text.length > MAX_PROBLEM_CHARACTERS;
  return { problem: isCut ? `${fit.slice(0, -2).replace(/\s\S*$/, '')} …` : fit };
}
