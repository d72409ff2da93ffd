/** `/devices/{mac}`: one device, read, edited and deleted. */
import type { DeviceEdit } from '../../shared/api/device-edits.ts';
import type { devices as operations } from '../../shared/api/devices.ts';
import type { ChangedPort, DevicePort, DevicePorts, OneDevice } from '../../shared/api/one-device.ts';
import { statusOf } from '../../shared/device.ts';
import { ServiceError } from '../../shared/errors.ts';
import { type JobId, timeOfJob } from '../../shared/identity.ts';
import { timeOf } from '../../shared/time.ts';
import { changesBetween } from '../http/audit-log.ts';
import type { AuditedCall, Handlers, SiteCall } from '../http/call.ts';
import { etagOf, namesEtag } from '../http/etag.ts';
import { HandlerResult } from '../http/handler-result.ts';
import { minuteOf, type SiteWatch } from './collection/coverage-row.ts';
import type { DeviceKey, StoredDevice } from './collection/device-codec.ts';
import { NO_PORTS, type OpenPort, type PortChange, type PortHistory } from './collection/merge-ports.ts';
import type { Snapshot } from './collection/snapshot.ts';
import type { DevicesContext } from './context.ts';
import { checkParent, fieldsOf, withEdit } from './edit.ts';
import { othersOf } from './members.ts';
import { isReportedOnline } from './presence.ts';
import { requestDigests } from './request-digests.ts';

type Names = 'getDevice' | 'listDevicePorts' | 'editDevice' | 'deleteDevice' | 'setAlias';

export const deviceHandlers: Pick<Handlers<typeof operations, DevicesContext>, Names> = {
  async getDevice({ devices, now }, call, { mac }) {
    const { snapshot, watch } = await devices.read(call.site);
    return shown(findDevice(snapshot, mac), watch, now());
  },

  async listDevicePorts({ devices, ports }, { site }, { mac, diff }) {
    const { snapshot, born } = await devices.read(site);
    const { key } = findDevice(snapshot, mac);
    const row = await ports.find({ site, device: key });
    const known = row !== null && row.version >= born ? row.history : NO_PORTS;
    const at = known.scans[0]?.at;
    const scannedAt = at === undefined ? null : timeOf(at);
    const opened = new Set(known.changes.flatMap((one) => (one.change === 'opened' ? [changeOfPort(one)] : [])));
    const body: DevicePorts = {
      success: true,
      mac: key,
      scannedAt,
      ports: known.ports.map((port) => ({
        ...shownPort(port),
        ...(opened.has(changeOfPort(port)) ? { new: true as const } : {}),
      })),
      ...(diff === undefined ? {} : { diff: portDiff(known, diff) }),
    };
    return withEtag(body);
  },

  async editDevice(context, call, { mac, ...edit }) {
    const { edited, watch } = await editDevice(context, call, mac, edit);
    return shown(edited, watch, context.now());
  },

  async deleteDevice(context, call, { mac }) {
    const { devices } = context;
    const plan = (snapshot: Snapshot) => {
      const device = findDevice(snapshot, mac);
      if (device.key !== mac) {
        const message = `${mac} is joined with ${device.key} (${device.record.devName}): delete that, or split ${mac} from it first`;
        throw new ServiceError('conflict', message);
      }
      checkUnchanged(call, device);
      return { put: [], remove: [device.key], name: device.record.devName };
    };
    const { version, name } = await devices.change(call.site, { actor: call.token.id, cause: 'delete' }, plan);
    await call.audit({ device: mac, name });
    await requestDigests(context, call.site);
    return { success: true, deleted: 1, change: String(version) };
  },

  async setAlias(context, call, { mac, alias }) {
    await editDevice(context, call, mac, { devName: alias });
    return { success: true };
  },
};

/** The device with this key or MAC. @throws {ServiceError} `not_found` */
export function findDevice(snapshot: Snapshot, key: DeviceKey): StoredDevice {
  const device = snapshot.deviceOf(key);
  if (device !== undefined) return device;
  throw new ServiceError('not_found', `There is no device ${key} on site "${snapshot.site}"`);
}

function shown(device: StoredDevice, watch: SiteWatch, now: Date): HandlerResult {
  const { devLastConnection } = watch.recordOf(device, minuteOf(now));
  const body: OneDevice = {
    ...storedBody(device),
    devLastConnection,
    watch: watch.of(device),
    lastSeenAt: watch.seesNow(device) ? now.toISOString() : isoTime(devLastConnection),
  };
  return new HandlerResult(body, { headers: { ETag: tagOf(device, watch), 'Cache-Control': 'private, no-cache' } });
}

/** The tags of the stored device and of its watch, separated by a point: a change of the latter is no reason to reject an edit. */
function tagOf(device: StoredDevice, watch: SiteWatch): string {
  return `${etagOf(storedBody(device)).slice(0, -1)}.${etagOf(watch.of(device)).slice(1, 9)}"`;
}

export function withEtag(body: object): HandlerResult {
  return new HandlerResult(body, { headers: { ETag: etagOf(body), 'Cache-Control': 'private, no-cache' } });
}

function shownPort({ address, seenAt, firstSeenAt, identifiedAt, ...port }: OpenPort): DevicePort {
  return {
    ...port,
    ...shownAddress(address),
    seenAt: timeOf(seenAt),
    firstSeenAt: timeOf(firstSeenAt),
    ...(identifiedAt === null ? {} : { identifiedAt: timeOf(identifiedAt) }),
  };
}

const shownAddress = (address: string) => (address === '' ? {} : { address });

function changeOfPort({ protocol, port, address, scan }: Omit<PortChange, 'change' | 'service' | 'at'>): string {
  return `${protocol}/${port} ${address} ${scan}`;
}

/** @param since a time, the id of a scan's job, or `last` for the changes found by the last scan */
function portDiff({ changes, scans }: PortHistory, since: Date | JobId | 'last'): DevicePorts['diff'] {
  const [last] = scans;
  // Ids of jobs are ordered by time.
  const isWanted =
    since === 'last'
      ? ({ scan }: PortChange) => scan === last?.scan
      : typeof since === 'string'
        ? ({ scan }: PortChange) => scan > since
        : ({ at }: PortChange) => at >= since.getTime();
  const at = since === 'last' ? last?.at : typeof since === 'string' ? timeOfJob(since) : since.getTime();
  const shown = ({ change: _, address, at, ...port }: PortChange): ChangedPort => ({
    ...port,
    ...shownAddress(address),
    at: timeOf(at),
  });
  const of = (change: PortChange['change']) =>
    changes.filter((one) => one.change === change && isWanted(one)).map(shown);
  return { since: at === undefined ? null : timeOf(at), opened: of('opened'), closed: of('closed') };
}

/** From the format of device records, in UTC; null for an empty text. */
const isoTime = (text: string): string | null => (text === '' ? null : `${text.replace(' ', 'T')}.000Z`);

function storedBody(device: StoredDevice): Omit<OneDevice, 'watch' | 'lastSeenAt'> {
  const { key, record, byPerson = [], sightings = {} } = device;
  return {
    success: true,
    key,
    devStatus: statusOf(record),
    ...record,
    setByPerson: [...byPerson],
    seenBy: Object.entries(sightings).map(([agent, { online, since }]) => ({ agent, online, since: timeOf(since) })),
    joined: othersOf(device).map(([mac, { ip, sightings, seenAt, joinedAt }]) => ({
      mac,
      ip,
      online: isReportedOnline(sightings),
      seenAt: seenAt === 0 ? null : timeOf(seenAt),
      joinedAt: timeOf(joinedAt),
    })),
  };
}

/** @throws {ServiceError} `precondition_failed` when the device has changed since the request's `If-Match` */
export function checkUnchanged({ ifMatch }: SiteCall, device: StoredDevice): void {
  if (ifMatch === null || namesEtag(ifMatch.replaceAll(/\.[\w-]*"/g, '"'), etagOf(storedBody(device)))) return;
  const message = `The device ${device.key} has been changed since it was read (If-Match): read it again`;
  throw new ServiceError('precondition_failed', message);
}

/** @returns the edited device, and how the site's devices are watched */
async function editDevice(
  context: DevicesContext,
  call: SiteCall & AuditedCall,
  key: DeviceKey,
  edit: DeviceEdit,
): Promise<{ edited: StoredDevice; watch: SiteWatch }> {
  const plan = (snapshot: Snapshot) => {
    const known = findDevice(snapshot, key);
    checkUnchanged(call, known);
    const edited = withEdit(known, edit);
    checkParent(snapshot, [edited], edit, 'devParentMAC');
    return { put: [edited], remove: [], edited, known };
  };
  const origin = { actor: call.token.id, cause: 'edit' } as const;
  const { edited, known, version, watch } = await context.devices.change(call.site, origin, plan);
  if (version !== null) {
    const fields = fieldsOf(edit);
    const valuesOf = ({ record }: StoredDevice) => Object.fromEntries(fields.map((field) => [field, record[field]]));
    const about = { device: edited.key, name: edited.record.devName, fields: fields.join(', ') };
    await call.audit(about, { changes: changesBetween(valuesOf(known), valuesOf(edited)) });
  }
  if (version !== null && edit.devAlertDown !== undefined) await requestDigests(context, call.site);
  return { edited, watch };
}
