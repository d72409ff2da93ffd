/** Edits by people: the same fields for one device, or for many in one change of the collection. */
import type { DeviceEdit } from '../../shared/api/device-edits.ts';
import type { devices as operations } from '../../shared/api/devices.ts';
import { DEVICE_FIELDS, type DeviceField, type DeviceRecord, EDITABLE_FIELDS } from '../../shared/device.ts';
import { changesBetween } from '../http/audit-log.ts';
import type { Handlers } from '../http/call.ts';
import { invalid } from '../http/errors.ts';
import { inSlices } from '../table/slices.ts';
import type { Change } from './collection/change-row.ts';
import { type DeviceKey, isSameDevice, type StoredDevice, sharedFields } from './collection/device-codec.ts';
import { unpackObserved } from './collection/observed.ts';
import type { Snapshot } from './collection/snapshot.ts';
import type { DevicesContext } from './context.ts';
import { matcherOf } from './list-handler.ts';
import { planOrChange } from './plan-or-change.ts';
import { isRecognized, recognized } from './recognized.ts';
import { requestDigests } from './request-digests.ts';

export const editHandlers: Pick<Handlers<typeof operations, DevicesContext>, 'editDevices'> = {
  async editDevices(context, call, { devices: named, match, set, dryRun }) {
    const keysIn = match === undefined ? () => new Set(named) : await matcherOf(context, call.site, match);
    const plan = async (snapshot: Snapshot) => planEdit(snapshot, await keysIn(snapshot), set);
    const { put, unchanged, missing, change } = await planOrChange(context, call, { cause: 'edit', dryRun }, plan);
    if (change !== null) {
      const [only, ...others] = put;
      const about = only === undefined || others.length > 0 ? {} : { device: only.key, name: only.record.devName };
      const detail = { updated: put.length, ...about, fields: fieldsOf(set).join(', ') };
      await call.audit(detail, { changes: changesBetween({}, set) });
    }
    if (change !== null && set.devAlertDown !== undefined) await requestDigests(context, call.site);
    return { success: true, updated: put.length, unchanged, missing, change };
  },
};

interface EditPlan extends Change {
  unchanged: number;
  missing: DeviceKey[];
}

/** Plans an edit; devices that it would not alter are not written. @throws {ServiceError} as `checkParent` does */
export async function planEdit(snapshot: Snapshot, keys: Iterable<DeviceKey>, edit: DeviceEdit): Promise<EditPlan> {
  const plan: EditPlan = { put: [], remove: [], unchanged: 0, missing: [] };
  const seen = new Set<DeviceKey>();
  for await (const slice of inSlices([...keys])) {
    for (const key of slice) {
      const known = snapshot.deviceOf(key);
      if (known === undefined) {
        plan.missing.push(key);
        continue;
      }
      if (seen.has(known.key)) continue; // Named by several of its MACs.
      seen.add(known.key);
      const edited = withEdit(known, edit);
      if (isSameDevice(known, edited)) plan.unchanged++;
      else plan.put.push(edited);
    }
  }
  checkParent(snapshot, plan.put, edit, 'set.devParentMAC');
  return plan;
}

/**
 * The device with the fields of the edit, which count as set by a person from then on; except an empty name, type or model,
 * which returns the field to recognition, and that fills it at once. The icon follows the type.
 */
export function withEdit(known: StoredDevice, edit: DeviceEdit): StoredDevice {
  const fields = fieldsOf(edit);
  const returned = fields.filter((field) => isRecognized(field) && (edit as Partial<DeviceRecord>)[field] === '');
  const { byPerson: _, ...rest } = known;
  const byPerson = alsoByPerson(known, fields).filter((field) => !returned.includes(field));
  const edited: StoredDevice = {
    ...rest,
    record: { ...known.record, ...(edit as Partial<DeviceRecord>) }, // JSON knows no undefined.
    ...(byPerson.length === 0 ? {} : { byPerson: sharedFields(byPerson) }),
  };
  if (!fields.some(isRecognized)) return edited;
  return recognized({ ...edited, observed: unpackObserved(edited.observed) });
}

export function fieldsOf(edit: DeviceEdit): DeviceField[] {
  return EDITABLE_FIELDS.filter((field) => edit[field] !== undefined);
}

/** The fields that people have set, plus these, in the order in which they are stored. */
export function alsoByPerson(
  known: Pick<StoredDevice, 'byPerson'> | undefined,
  fields: readonly DeviceField[],
): readonly DeviceField[] {
  const all = new Set([...(known?.byPerson ?? []), ...fields]);
  return sharedFields(DEVICE_FIELDS.filter((field) => all.has(field)));
}

/**
 * Rejects a new parent that would make a device its own parent, directly or through others. All edited devices get the
 * same parent, so only the ancestors of that one are checked. A device that has this parent already is left alone: imports
 * may have made such a loop.
 * @param field the path of the parent in the request
 * @throws {ServiceError} `validation_failed`
 */
export function checkParent(
  snapshot: Snapshot,
  edited: readonly StoredDevice[],
  { devParentMAC: parent = '' }: DeviceEdit,
  field: string,
): void {
  if (parent === '') return;
  const moved = edited.filter(({ key }) => snapshot.get(key)?.record.devParentMAC !== parent);
  const keys = new Set(moved.map(({ key }) => key));
  const seen = new Set<DeviceKey>();
  for (let above = parent; above !== '' && !seen.has(above); ) {
    if (keys.has(above)) {
      const loop =
        above === parent
          ? `${parent} cannot hang on itself`
          : `${parent} hangs on ${above}, directly or by way of others`;
      throw invalid(field, `expected another parent: ${loop}`);
    }
    seen.add(above);
    above = snapshot.get(above)?.record.devParentMAC ?? '';
  }
}
