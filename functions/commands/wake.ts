/** From a request to wake a device to the command for an agent: finds the device, and the agents that have seen it. */
import type { WakeRequest } from '../../shared/api/wake.ts';
import { ServiceError } from '../../shared/errors.ts';
import type { SiteId } from '../../shared/identity.ts';
import { type Mac, parseRange, WakeableMac } from '../../shared/network.ts';
import { problemOf } from '../../shared/problem.ts';
import { oneLine, startOf } from '../../shared/text.ts';
import type { CommandOf } from '../../shared/tools/list.ts';
import { isIpv4 } from '../../shared/tools/wake-on-lan.ts';
import type { Sightings, StoredDevice } from '../devices/collection/device-codec.ts';
import type { Snapshot } from '../devices/collection/snapshot.ts';
import { invalid } from '../http/errors.ts';
import type { AgentWish } from './choose-agent.ts';
import type { CommandContext } from './context.ts';

interface WakePlan {
  command: CommandOf<'wakeonlan'>;
  /** The agents that are likely to be near the device. */
  wish: Required<Pick<AgentWish, 'preferred' | 'near'>>;
}

/** Devices that an error lists when the request is ambiguous. */
const MOST_NAMED = 10;
const NAME_CHARACTERS = 60;

/**
 * @throws {ServiceError} `not_found` when no device has the name or address, `conflict` when several have,
 *   `validation_failed` when the device has no MAC, `site_forbidden` when the site does not exist
 */
export async function planWake(
  { devices, log }: Pick<CommandContext, 'devices' | 'log'>,
  site: SiteId,
  request: WakeRequest,
): Promise<WakePlan> {
  const { devMac, verify } = request;
  if (devMac === undefined) {
    const device = deviceNamed(await devices.snapshot(site), request);
    return planFor(macOf(device, request), device, verify);
  }
  try {
    const device = await devices.find(site, devMac);
    if (device !== null) return planFor(devMac, device, verify);
    // One of several MACs of a device, or an unknown one.
    const member = (await devices.snapshot(site)).deviceOf(devMac)?.joined?.[devMac];
    return planAt(devMac, member?.ip ?? '', member?.sightings ?? {}, verify);
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    // The device can be woken without its row.
    log.warn({ site, device: devMac, problem: problemOf(error) }, 'cannot read the row of a device');
    return planFor(devMac, null, verify);
  }
}

function planFor(mac: Mac, device: StoredDevice | null, verify: boolean): WakePlan {
  return planAt(mac, device?.record.devLastIP ?? '', device?.sightings ?? {}, verify);
}

function planAt(mac: Mac, ip: string, sightings: Sightings, verify: boolean): WakePlan {
  const command = {
    ...{ tool: 'wakeonlan' as const, mac },
    ...(verify ? { verify: true as const } : {}),
    ...(verify && isIpv4(ip) ? { ip } : {}),
  };
  return { command, wish: { preferred: lastSeenFirst(sightings), near: parseRange(ip) ?? undefined } };
}

/** The agents that have seen a device: first those that see it now, then by how recently they lost it. */
export function lastSeenFirst(sightings: Sightings): string[] {
  return Object.entries(sightings)
    .sort(([, a], [, b]) => Number(b.online) - Number(a.online) || b.since - a.since)
    .map(([agent]) => agent);
}

/** The one device that is not archived and has this name, or this last address. */
function deviceNamed({ devices, site }: Snapshot, { devName, devLastIP }: WakeRequest): StoredDevice {
  const name = devName?.toLowerCase();
  const named = devices.filter(
    ({ record }) =>
      record.devIsArchived === 0 &&
      (name === undefined ? record.devLastIP === devLastIP?.text : record.devName.toLowerCase() === name),
  );
  const [only, ...others] = named;
  const what = name === undefined ? `the address ${devLastIP?.text}` : `the name "${shown(devName ?? '')}"`;
  if (only === undefined) throw new ServiceError('not_found', `No device of site "${site}" has ${what}`);
  if (others.length === 0) return only;
  const listed = named.slice(0, MOST_NAMED).map(({ record }) => {
    const { devMac, devName, devLastIP } = record;
    return `${devMac || 'no MAC'} (${[shown(devName), devLastIP].filter((text) => text !== '').join(', ')})`;
  });
  const more = named.length > listed.length ? `; and ${named.length - listed.length} more` : '';
  const message = `${named.length} devices of site "${site}" have ${what}; name one by its MAC: ${listed.join('; ')}${more}`;
  throw new ServiceError('conflict', message);
}

function macOf({ record }: StoredDevice, { devName }: WakeRequest): Mac {
  const mac = WakeableMac.safeParse(record.devMac).data;
  if (mac !== undefined) return mac;
  const message = `expected a device with a MAC address, to which packets can be sent: "${shown(record.devName)}" has none`;
  throw invalid(devName === undefined ? 'devLastIP' : 'devName', message);
}

const shown = (text: string) => startOf(oneLine(text), NAME_CHARACTERS);
