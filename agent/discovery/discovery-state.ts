/** The state of discovery in the agent's presence: off, or the outcome of the last cycles. */
import { type DiscoveryState, MAX_PROBLEM_CHARACTERS } from '../../shared/agent/discovery.ts';
import { fitToReport } from '../../shared/agent/fit-text.ts';
import { ToolFailure } from '../host/tool-failure.ts';
import type { CycleReport } from './cycle.ts';
import type { KnownDevices } from './known-devices.ts';
import type { ForeignNetwork } from './known-networks.ts';

/** A network counts as watched as long as one of so many cycles was valid there. */
const WATCHED_FOR_CYCLES = 3;
const MAX_NETWORKS = 64;

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

export class StateOfCycles {
  /** Cycles since the last valid one, by network. */
  readonly #cyclesSince = new Map<string, number>();
  /** As first reported: the number of answers may differ in each cycle. */
  #strange: readonly ForeignNetwork[] = [];

  /**
   * @param networks that were scanned
   * @param problems what else is not watched, in one sentence each
   * @returns null when no network was valid
   */
  after(
    { valid, foreign: strange, methods }: Pick<CycleReport, 'valid' | 'foreign' | 'methods'>,
    networks: readonly string[],
    {
      proxyArpNetworks: crowded,
      overBudget,
      refused,
    }: Pick<KnownDevices, 'proxyArpNetworks' | 'overBudget' | 'refused'>,
    problems: readonly string[],
  ): DiscoveryState | null {
    const isLikeBefore = namesOf(strange) === namesOf(this.#strange);
    if (!isLikeBefore) this.#strange = strange.slice(0, MAX_NETWORKS);
    const isForeign = new Set(strange.map(({ network }) => network));
    for (const each of new Set([...this.#cyclesSince.keys(), ...networks])) {
      const since = (this.#cyclesSince.get(each) ?? WATCHED_FOR_CYCLES) + 1;
      if (!networks.includes(each) || isForeign.has(each)) this.#cyclesSince.delete(each);
      else this.#cyclesSince.set(each, valid.has(each) ? 0 : Math.min(since, WATCHED_FOR_CYCLES));
    }
    if (valid.size === 0 && strange.length === 0) return null;
    const all = [
      ...strange.map(foreignProblem),
      ...crowded.map((each) => `one host answers for nearly every address of ${each}: no new devices are taken there`),
      ...overBudget.map((each) => `so much changes in ${each} that it is reported late`),
      ...problems,
      ...(refused > 0 ? ['there are more devices than the agent can keep'] : []),
    ];
    const watched = networks.filter((each) => (this.#cyclesSince.get(each) ?? WATCHED_FOR_CYCLES) < WATCHED_FOR_CYCLES);
    return {
      ...(valid.size === 0
        ? { state: 'another-network' }
        : { state: 'on', accuracy: methods.has('udp') ? 'reduced' : 'full', networks: watched.slice(0, MAX_NETWORKS) }),
      ...(strange.length === 0 ? {} : { strange: this.#strange.map((each) => ({ ...each })) }),
      ...(crowded.length === 0 ? {} : { crowded: crowded.slice(0, MAX_NETWORKS) }),
      ...problemOf(all),
    };
  }
}

/** The state with that of the sources. */
export function withSources(state: DiscoveryState, { networks, problems }: { networks: string[]; problems: string[] }) {
  if (networks.length === 0 && problems.length === 0) return state;
  const { problem } = state;
  return {
    ...state,
    ...(networks.length === 0 ? {} : { bySources: networks.slice(0, MAX_NETWORKS) }),
    ...problemOf(problem === undefined ? problems : [problem, ...problems]),
  };
}

function namesOf(strange: readonly ForeignNetwork[]): string {
  return JSON.stringify(strange.map(({ network, gateway }) => [network, gateway]));
}

function foreignProblem({ network, gateway }: ForeignNetwork): string {
  const why = gateway === null ? 'no known device answers' : `its gateway is now ${gateway}`;
  const wayOut = `lanreach site discover <site> on --gateway ${gateway ?? '<MAC of a device there>'}`;
  return `${network} seems to be a foreign network: ${why}. Nothing of it is reported until this host is back, or a person confirms it: ${wayOut}`;
}

/** As many of these sentences as fit, each as a whole. */
export function problemOf(problems: readonly string[]): { problem?: string } {
  let text: string | null = null;
  for (const problem of problems) {
    const longer: string = text === null ? problem : `${text}; ${problem}`;
    if (text !== null && longer.length > MAX_PROBLEM_CHARACTERS) break;
    text = longer;
  }
  const fit = text === null ? null : fitToReport(text, MAX_PROBLEM_CHARACTERS);
  if (fit === null) return {};
  // A single one that is too long is cut at a word.
  const isCut = text !== null && text.length > MAX_PROBLEM_CHARACTERS;
  return { problem: isCut ? `${fit.slice(0, -2).replace(/\s\S*$/, '')} …` : fit };
}
