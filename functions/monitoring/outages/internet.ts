/** The internet connection of a site: whether it works, its public address, and its speed. */
import { medianOf } from '../../../shared/comparison.ts';
import type { SiteId } from '../../../shared/identity.ts';
import { reasonSentence } from '../../../shared/reason-text.ts';
import type { Reason } from '../../../shared/reasons.ts';
import type { ToolResult } from '../../../shared/tools/list.ts';
import type { Occurrence } from '../../devices/collection/change-row.ts';
import { type Observed, unchanged } from './observe.ts';
import { MAX_SPEEDS, type SiteState } from './site-state.ts';
import type { TakeChange } from './take-change.ts';

const PROVIDER: Reason = { code: 'provider-or-line' };
const ROUTER: Reason = { code: 'router-or-wire' };

/**
 * Lost when no agent that can know disagrees. Agents often report a loss after it is over, each later than it has reconnected:
 * so of the time before it connected an agent knows only what it has reported, and a loss that ended with the recovery of
 * another agent was reported with that.
 */
export const takeInternet: TakeChange<'internet'> = (before, { at, ok, gateway }, source) => {
  const { agent, site, connected } = source;
  const known = before.internet[agent];
  if (known !== undefined && (known.ok === ok || at <= known.since)) return unchanged(before);
  const internet = { ...before.internet, [agent]: { ok, since: at, gateway } };
  const state = { ...before, internet };
  if (ok) {
    const since = before.internetLostSince;
    if (since === null) return unchanged(state);
    const seconds = Math.max(0, Math.round((at - since) / 1000));
    const why = known?.gateway === false ? ROUTER : known?.gateway === true ? PROVIDER : null;
    return {
      state: { ...state, internetLostSince: null },
      occurrences: [event('internet-back', at, site, { seconds }, why)],
    };
  }
  if (before.internetLostSince !== null) return unchanged(state);
  const others = Object.entries(internet).flatMap(([name, said]) => {
    const connectedSince = name === agent ? undefined : connected.get(name);
    return connectedSince === undefined ? [] : [{ ...said, connectedSince }];
  });
  if (others.some((said) => said.ok && (said.connectedSince < at || said.since > at))) return unchanged(state);
  const gateways = [gateway, ...others.filter((said) => !said.ok).map((said) => said.gateway)];
  const why = gateways.includes(true) ? PROVIDER : gateways.includes(false) ? ROUTER : null;
  return {
    state: { ...state, internetLostSince: at },
    occurrences: [event('internet-lost', at, site, {}, why)],
  };
};

/** The address of one agent while it is connected: with several agents on different connections it would change all the time. */
export const takeAddress: TakeChange<'address'> = (before, { at, address, provider }, { agent, site, connected }) => {
  const known = before.address;
  const isOlder = known !== null && at <= known.since;
  if (isOlder || (known !== null && known.agent !== agent && connected.has(known.agent))) return unchanged(before);
  const state = { ...before, address: { address, provider, since: at, agent } };
  if (known === null || known.address === address) return unchanged(state);
  return { state, occurrences: [event('address-changed', at, site, { from: known.address, to: address, provider })] };
};

/** Speed tests that determine the usual speed. */
const USUAL_FROM = 5;
const LOW = 0.5;
const NORMAL = 0.75;

/** Compares a speed test with earlier ones of the same agent. */
export function takeSpeed(
  before: SiteState,
  { downloadMbps, uploadMbps, pingMs }: ToolResult<'speedtest'>,
  { site, agent, at }: { site: SiteId; agent: string; at: number },
): Observed | null {
  if (before.speeds.some((one) => one.at === at && one.agent === agent)) return null;
  const earlier = before.speeds.filter((one) => one.agent === agent).map(({ down }) => down);
  const speeds = [...before.speeds, { at, agent, down: downloadMbps, up: uploadMbps, ping: pingMs }].slice(-MAX_SPEEDS);
  const state = { ...before, speeds };
  if (earlier.length < USUAL_FROM) return unchanged(state);
  const usual = medianOf(earlier);
  const detail = { downMbps: rounded(downloadMbps), usualMbps: rounded(usual) };
  if (before.slowSince === null && downloadMbps < usual * LOW)
    return { state: { ...state, slowSince: at }, occurrences: [event('speed-low', at, site, detail)] };
  if (before.slowSince !== null && downloadMbps > usual * NORMAL)
    return { state: { ...state, slowSince: null }, occurrences: [event('speed-normal', at, site, detail)] };
  return unchanged(state);
}

function event(
  type: Occurrence['type'],
  at: number,
  site: SiteId,
  detail: NonNullable<Occurrence['detail']>,
  why: Reason | null = null,
): Occurrence {
  const made = { type, at: Math.floor(at / 1000), subject: { kind: 'internet' as const, id: site, name: site } };
  if (why === null) return { ...made, detail };
  return { ...made, detail: { ...detail, why: reasonSentence(why) }, reasonCode: why };
}

const rounded = (mbps: number) => Math.round(mbps * 10) / 10;
