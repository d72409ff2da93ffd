/** The way out of a site: whether there is one, by which address, and how fast. */
import type { SiteId } from '../../../shared/identity.ts';
import { reasonSentence } from '../../../shared/reason-text.ts';
import type { Reason } from '../../../shared/reasons.ts';
import type { ToolResult } from '../../../shared/tools/list.ts';
import type { Told } from '../../devices/collection/change-row.ts';
import type { Observed } from './observe.ts';
import { MAX_SPEEDS, type SiteState } from './site-state.ts';
import type { TakeChange } from './take-change.ts';

const PROVIDER: Reason = { code: 'provider-or-line' };
const ROUTER: Reason = { code: 'router-or-wire' };

/**
 * Lost when no agent says otherwise that can know. Agents often tell that it was lost when it is back, each of them later
 * than it has connected: so of the time before it connected an agent knows only what it has said, and what was lost before
 * the internet came back to another one was told with that.
 */
export const takeInternet: TakeChange<'internet'> = (before, { at, ok, gateway }, source) => {
  const { agent, site, connected } = source;
  const known = before.internet[agent];
  if (known !== undefined && (known.ok === ok || at <= known.since)) return { state: before, told: [] };
  const internet = { ...before.internet, [agent]: { ok, since: at, gateway } };
  const state = { ...before, internet };
  if (ok) {
    const since = before.internetLostSince;
    if (since === null) return { state, told: [] };
    const seconds = Math.max(0, Math.round((at - since) / 1000));
    const why = known?.gateway === false ? ROUTER : known?.gateway === true ? PROVIDER : null;
    return {
      state: { ...state, internetLostSince: null },
      told: [told('internet-back', at, site, { seconds }, why)],
    };
  }
  if (before.internetLostSince !== null) return { state, told: [] };
  const others = Object.entries(internet).flatMap(([name, said]) => {
    const connectedSince = name === agent ? undefined : connected.get(name);
    return connectedSince === undefined ? [] : [{ ...said, connectedSince }];
  });
  if (others.some((said) => said.ok && (said.connectedSince < at || said.since > at))) return { state, told: [] };
  const gateways = [gateway, ...others.filter((said) => !said.ok).map((said) => said.gateway)];
  const why = gateways.includes(true) ? PROVIDER : gateways.includes(false) ? ROUTER : null;
  return {
    state: { ...state, internetLostSince: at },
    told: [told('internet-lost', at, site, {}, why)],
  };
};

/**
 * The address is that of one agent, as long as that one is connected: where agents have ways out of their own, it would
 * change all the time.
 */
export const takeAddress: TakeChange<'address'> = (before, { at, address, provider }, { agent, site, connected }) => {
  const known = before.address;
  const isOlder = known !== null && at <= known.since;
  if (isOlder || (known !== null && known.agent !== agent && connected.has(known.agent)))
    return { state: before, told: [] };
  const state = { ...before, address: { address, provider, since: at, agent } };
  if (known === null || known.address === address) return { state, told: [] };
  return { state, told: [told('address-changed', at, site, { from: known.address, to: address, provider })] };
};

/** Speed tests by which it is known what is usual. */
const USUAL_FROM = 5;
const LOW = 0.5;
const NORMAL = 0.75;

/** What a speed test says, compared with those that the same agent has made before. */
export function takeSpeed(
  before: SiteState,
  { downloadMbps, uploadMbps, pingMs }: ToolResult<'speedtest'>,
  { site, agent, at }: { site: SiteId; agent: string; at: number },
): Observed | null {
  if (before.speeds.some((one) => one.at === at && one.agent === agent)) return null;
  const earlier = before.speeds.filter((one) => one.agent === agent).map(({ down }) => down);
  const speeds = [...before.speeds, { at, agent, down: downloadMbps, up: uploadMbps, ping: pingMs }].slice(-MAX_SPEEDS);
  const state = { ...before, speeds };
  if (earlier.length < USUAL_FROM) return { state, told: [] };
  const usual = median(earlier);
  const detail = { downMbps: rounded(downloadMbps), usualMbps: rounded(usual) };
  if (before.slowSince === null && downloadMbps < usual * LOW)
    return { state: { ...state, slowSince: at }, told: [told('speed-low', at, site, detail)] };
  if (before.slowSince !== null && downloadMbps > usual * NORMAL)
    return { state: { ...state, slowSince: null }, told: [told('speed-normal', at, site, detail)] };
  return { state, told: [] };
}

function told(
  type: Told['type'],
  at: number,
  site: SiteId,
  detail: NonNullable<Told['detail']>,
  why: Reason | null = null,
): Told {
  const event = { type, at: Math.floor(at / 1000), subject: { kind: 'internet' as const, id: site, name: site } };
  if (why === null) return { ...event, detail };
  return { ...event, detail: { ...detail, why: reasonSentence(why) }, reasonCode: why };
}

function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  return ((sorted[Math.floor(middle)] ?? 0) + (sorted[Math.ceil(middle)] ?? 0)) / 2;
}

const rounded = (mbps: number) => Math.round(mbps * 10) / 10;
