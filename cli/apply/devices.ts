/** What a file says of devices. No template does, so the command line compares them with the collection. */
import { stringify } from 'csv-stringify/sync';
import * as z from 'zod';
import type { Client } from '../../client/client.ts';
import { DeviceEdit } from '../../shared/api/device-edits.ts';
import { DeviceName } from '../../shared/api/device-terms.ts';
import { only } from '../../shared/api/list.ts';
import { isSame } from '../../shared/api/template-settings.ts';
import type { DeviceRecord, EditableField } from '../../shared/device.ts';
import type { SiteId } from '../../shared/identity.ts';
import { Failure } from '../client/failure.ts';
import type { Outcome, PlannedStep, Unit } from './unit.ts';

/** What a file calls the fields of a device. */
export const DEVICE_FIELD = {
  ...{ name: 'devName', type: 'devType', model: 'devModel', owner: 'devOwner', group: 'devGroup' },
  ...{ location: 'devLocation', comments: 'devComments', parent: 'devParentMAC', port: 'devParentPort' },
  ...{ favorite: 'devFavorite', archived: 'devIsArchived', alertDown: 'devAlertDown' },
} as const satisfies Record<string, EditableField>;

const edit = DeviceEdit.shape;
const Flag = z.boolean().optional();
export const DeclaredDevice = only({
  mac: DeviceName,
  ...{ name: edit.devName, type: edit.devType, model: edit.devModel, owner: edit.devOwner, group: edit.devGroup },
  ...{ location: edit.devLocation, comments: edit.devComments, parent: edit.devParentMAC, port: edit.devParentPort },
  ...{ favorite: Flag, archived: Flag, alertDown: Flag },
});
type DeclaredDevice = z.output<typeof DeclaredDevice>;

/** A large collection takes a while. */
const DEVICES_TIMEOUT_MS = 120_000;

export async function devicesOf(client: Client, site: SiteId): Promise<Map<string, DeviceRecord>> {
  const found = new Map<string, DeviceRecord>();
  let cursor: string | null | undefined;
  do {
    const query = { fields: 'all' as const, limit: '10000', ...(cursor ? { cursor } : {}) };
    const page = await client.ask('GET /devices', { site, query, timeoutMs: DEVICES_TIMEOUT_MS });
    for (const record of page.devices as DeviceRecord[]) if (record.devMac !== '') found.set(record.devMac, record);
    cursor = page.nextCursor;
  } while (cursor);
  return found;
}

/** New devices of a site come together. */
export function deviceUnits(
  client: Client,
  site: SiteId,
  devices: readonly DeclaredDevice[],
  there: ReadonlyMap<string, DeviceRecord>,
): Unit[] {
  const added: Edit[] = [];
  const changed: Unit[] = [];
  const steps: PlannedStep[] = [];
  for (const { mac, ...said } of devices) {
    const edit: Edit = Object.fromEntries(
      Object.entries(said).flatMap(([name, value]) => {
        if (value === undefined) return [];
        return [[DEVICE_FIELD[name as keyof typeof DEVICE_FIELD], typeof value === 'boolean' ? Number(value) : value]];
      }),
    );
    const known = there.get(mac) as Edit | undefined;
    const fields = Object.entries(edit)
      .filter(([field, to]) => !isSame(known?.[field], to))
      .map(([field, to]) => ({ field, from: known?.[field] ?? null, to }));
    const step: PlannedStep = { sign: known === undefined ? '+' : '~', kind: 'device', site, mac, fields };
    if (known === undefined) {
      added.push({ devMac: mac, ...edit });
      steps.push(step);
    } else if (fields.length > 0)
      changed.push({ steps: [step], carryOut: () => changeDevice(client, { site, mac, fields }, edit) });
  }
  return [...(added.length === 0 ? [] : [{ steps, carryOut: () => addDevices(client, site, added) }]), ...changed];
}

type Edit = Readonly<Record<string, string | number>>;

async function changeDevice(
  client: Client,
  { site, mac, fields }: Pick<PlannedStep, 'site' | 'fields'> & { mac: string },
  edit: Edit,
): Promise<Outcome> {
  const { answer, etag } = await client.tagged('GET /devices/{mac}', { site, params: { mac } });
  const record = answer as unknown as Edit;
  const other = fields.find(({ field, from }) => !isSame(record[field], from));
  if (other !== undefined) {
    const now = `${other.field} is ${JSON.stringify(record[other.field])} now`;
    throw new Failure('failure', `It has changed since the plan was made: ${now}`);
  }
  await client.ask('PATCH /devices/{mac}', { site, params: { mac }, body: edit, ifMatch: etag });
  return {};
}

async function addDevices(client: Client, site: SiteId, devices: readonly Edit[]): Promise<Outcome> {
  // An empty cell would count as said: devices of which the same fields are said are a file.
  const bySet = new Map<string, Edit[]>();
  for (const device of devices) {
    const set = Object.keys(device).sort().join(',');
    bySet.set(set, [...(bySet.get(set) ?? []), device]);
  }
  for (const alike of bySet.values()) {
    const csv = stringify(alike, { header: true });
    const body = { content: Buffer.from(csv).toString('base64') };
    const { skipped } = await client.ask('POST /devices/import', { site, body, timeoutMs: DEVICES_TIMEOUT_MS });
    const [first] = skipped;
    if (first !== undefined) throw new Failure('failure', `A device could not be added: ${first.reason}`);
  }
  return {};
}
