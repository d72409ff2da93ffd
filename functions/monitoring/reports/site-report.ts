/**
 * The report of one site: from its journal, its series and its devices as they are.
 *
 * Costs the rows of the collection, the journal from the beginning of the period on (one read unit for 20 changes, at most
 * 20,000 of them for events), and for each agent a row for each hour of the period.
 */
import type { DeviceEvent } from '../../../shared/api/events.ts';
import type { Site } from '../../../shared/api/records.ts';
import { type Availability, MAX_REPORTED, type SiteReport } from '../../../shared/api/reports.ts';
import { inCategory } from '../../../shared/device.ts';
import { secondOf } from '../../../shared/time.ts';
import type { StoredDevice } from '../../devices/collection/device-codec.ts';
import { looksBack } from '../../devices/past.ts';
import { readChanges, type Span } from '../../devices/read-changes.ts';
import { sumUp } from '../../devices/sum-up.ts';
import type { Stores } from '../../stores.ts';
import { totalOf } from '../series/bucket.ts';
import { onlineIn } from '../series/presence.ts';
import { openPresenceStore } from '../series/presence-store.ts';
import { percent, speedSeries } from '../series/series-columns.ts';
import { downtimesOf } from './downtimes.ts';

export type ReportContext = Pick<Stores, 'devices' | 'checks' | 'series' | 'months' | 'sites'> & { now(): Date };

type ReportedSite = Pick<Site, 'id' | 'name' | 'timeZone'>;
export type Chosen = (device: StoredDevice) => boolean;
export const isFavourite: Chosen = ({ record }) => record.devFavorite === 1;

/** @param chosen whose availability is reported */
export async function siteReport(
  context: ReportContext,
  { id: site, name, timeZone }: ReportedSite,
  wanted: Span,
  chosen: Chosen,
): Promise<SiteReport> {
  const { devices, months, now } = context;
  const span = { ...wanted, until: new Date(Math.min(wanted.until.getTime(), now().getTime())) };
  const seconds = { since: secondOf(span.since), until: secondOf(span.until) };
  return looksBack.run(async () => {
    const snapshot = await devices.snapshot(site);
    const nameOf = (key: string) => snapshot.get(key)?.record.devName ?? '';
    const { events, truncated } = await readChanges(devices, site, span, async () => nameOf);
    const { summary, summaryCodes } = sumUp(events);
    const downtimes = downtimesOf(events, span);
    const added = events.filter(({ type, device }) => type === 'new' && device !== null).sort(byTime);
    const ports = portsOf(events.sort(byTime));
    const mine = snapshot.devices.filter(({ record }) => inCategory('my', record));
    const availability = [
      ...(await ofDevices(context, site, mine.filter(chosen).slice(0, MAX_REPORTED), span)),
      ...(await ofChecks(context, site, seconds)),
    ];
    const speeds = await months.speeds(site, seconds);
    const { downMbps, upMbps, pingMs } = speedSeries(speeds).summary;
    return {
      ...{ site, name, timeZone, summary, summaryCodes },
      since: span.since.toISOString(),
      until: span.until.toISOString(),
      devices: mine.length,
      newDevices: added.slice(0, MAX_REPORTED).flatMap(({ device, at }) => {
        const { devVendor: vendor = '', devLastIP: ip = '', devName } = snapshot.get(device?.key ?? '')?.record ?? {};
        return device === null ? [] : [{ ...device, name: devName ?? device.name, at, vendor, ip }];
      }),
      newCount: added.length,
      downtimes: downtimes.slice(0, MAX_REPORTED),
      downtimeCount: downtimes.length,
      availability: availability
        .sort((a, b) => (a.uptimePercent ?? Infinity) - (b.uptimePercent ?? Infinity))
        .slice(0, MAX_REPORTED),
      ports: ports.slice(0, MAX_REPORTED),
      portCount: ports.length,
      speed:
        downMbps == null || upMbps == null || pingMs == null
          ? null
          : {
              ...{ tests: speeds.length, downMbps, upMbps, pingMs },
              slowestMbps: Math.min(...speeds.map((one) => one.downMbps)),
            },
      isPartial: truncated,
    };
  });
}

const byTime = (a: DeviceEvent, b: DeviceEvent) => Date.parse(a.at) - Date.parse(b.at);

/** @param events in order */
function portsOf(events: readonly DeviceEvent[]): SiteReport['ports'] {
  const ports = new Map<string, SiteReport['ports'][number]>();
  for (const { type, device, detail = {}, at } of events) {
    if (device === null || detail.port === undefined) continue;
    const key = [device.key, detail.address, detail.protocol, detail.port].join();
    const { port, protocol, service, address } = detail;
    const shown = Object.entries({ port, protocol, service, address }).filter(([, value]) => value !== undefined);
    if (type === 'port-opened' && !ports.has(key))
      ports.set(key, { device, at, port: Object.fromEntries(shown) as typeof detail, isOpen: true });
    const known = ports.get(key);
    if (known !== undefined && (type === 'port-opened' || type === 'port-closed'))
      known.isOpen = type === 'port-opened';
  }
  return [...ports.values()];
}

async function ofDevices(
  { devices, now }: ReportContext,
  site: string,
  some: readonly StoredDevice[],
  { since, until }: Span,
): Promise<Availability[]> {
  if (some.length === 0) return [];
  const span = { from: secondOf(since), until: secondOf(until) };
  const states = await openPresenceStore(devices, now).readMany(
    site,
    some.map(({ key }) => key),
    span,
  );
  return some.map(({ key, record }): Availability => {
    const own = states.get(key) ?? [];
    const { online, known } = onlineIn(own, span);
    const times = own.filter(({ is }, i) => is === false && own[i - 1]?.is === true).length;
    return {
      ...{ kind: 'device', id: key, name: record.devName, times: known === 0 ? null : times },
      uptimePercent: percent(online, known),
      knownPercent: percent(known, span.until - span.from),
    };
  });
}

async function ofChecks(
  { checks, series, sites }: ReportContext,
  site: string,
  span: { since: number; until: number },
): Promise<Availability[]> {
  const enabled = (await checks.list(site)).checks.filter((check) => check.enabled);
  if (enabled.length === 0) return [];
  const agents = await sites.agentIds(site);
  const byAgent = await Promise.all(agents.map((agent) => series.totals(agent, span)));
  return enabled.slice(0, MAX_REPORTED).map(({ id, label }): Availability => {
    const total = totalOf(byAgent.flatMap((totals) => totals.get(id) ?? []));
    const uptimePercent = total === null ? null : percent(total.runs - total.failed, total.runs);
    return { kind: 'check', id, name: label, uptimePercent, knownPercent: null, times: null };
  });
}
