/** Recognition of a device: the fields that follow from observations of it. What a person has set stays. */
import { type DeviceField, type DeviceRecord, MAX_LENGTHS } from '../../shared/device.ts';
import { type Classification, classify } from '../../shared/recognition/classify.ts';
import { iconOf, KINDS, kindOfType } from '../../shared/recognition/kinds.ts';
import { startOf } from '../../shared/text.ts';
import type { StoredDevice } from './collection/device-codec.ts';
import { allObserved, type Observed, packObserved } from './collection/observed.ts';

const RECOGNIZED: readonly DeviceField[] = ['devName', 'devVendor', 'devType', 'devModel', 'devIcon', 'devSSID'];

/** Whether recognition fills the field, unless a person has set it. */
export const isRecognized = (field: DeviceField): boolean => RECOGNIZED.includes(field);

/** The device with these observations, and the fields that follow from them. */
export function recognized({
  observed,
  ...device
}: Omit<StoredDevice, 'observed'> & { observed: Observed }): StoredDevice {
  const packed = packObserved(observed);
  const judgement = classificationOf(device.record, observed);
  return {
    ...device,
    ...(packed === undefined ? {} : { observed: packed }),
    record: classified(device.record, judgement, ssidIn(observed), new Set(device.byPerson)),
  };
}

/** The name of its radio network, by the latest report; null where no source knows how it is attached. */
function ssidIn(observed: Observed): string | null {
  const links = allObserved(observed).filter(({ source }) => source === 'link');
  const [latest] = links.sort((a, b) => b.at - a.at);
  return latest === undefined ? null : (/^wireless (.+)/.exec(latest.value)?.[1] ?? '');
}

export function classificationOf({ devMac: mac, devRandomMAC }: DeviceRecord, observed: Observed): Classification {
  return classify({ observations: allObserved(observed), random: devRandomMAC === 1, mac });
}

function classified(
  record: DeviceRecord,
  { kind, name, vendor, model }: Classification,
  ssid: string | null,
  byPerson: ReadonlySet<DeviceField>,
): DeviceRecord {
  const fields: Partial<DeviceRecord> = {
    // The last name and vendor that were found stay: a device that is silent for a day keeps them.
    ...(name === null ? {} : { devName: name.value }),
    ...(vendor === null ? {} : { devVendor: vendor.value }),
    devType: kind === null ? '' : KINDS[kind.value].label,
    devModel: startOf(model?.value ?? '', MAX_LENGTHS.label),
    ...(ssid === null ? {} : { devSSID: startOf(ssid, MAX_LENGTHS.label) }),
  };
  const chosen = Object.entries(fields).filter(([field]) => !byPerson.has(field as DeviceField));
  const after: DeviceRecord = { ...record, ...Object.fromEntries(chosen) };
  // The icon follows the type, even one that a person has chosen.
  if (!byPerson.has('devIcon')) after.devIcon = iconOf(kindOfType(after.devType));
  return after;
}
