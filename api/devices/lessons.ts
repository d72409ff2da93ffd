/** What a person says of one device teaches what others like it may be. */
import type { DeviceEdit } from '../../shared/api/device-edits.ts';
import type { LooksLike } from '../../shared/api/device-evidence.ts';
import type { SiteId } from '../../shared/identity.ts';
import { featuresOf } from '../../shared/recognition/features.ts';
import type { StoredDevice } from '../../store/devices/device-codec.ts';
import type { Lesson } from '../../store/devices/lesson-store.ts';
import { allObserved, unpackObserved } from '../../store/devices/observed.ts';
import { reachedSites } from '../access/sites.ts';
import type { BaseContext } from '../context/context.ts';
import type { SiteCall } from '../http/call.ts';

/** Of an edit of many, so many teach: the rest is more of the same. */
const MOST_LESSONS = 100;
/** Most offers that are told. */
const MOST_OFFERS = 5;

/** By what a device can be alike to others. */
function featuresOfDevice({ observed }: StoredDevice): string[] {
  return observed === undefined ? [] : featuresOf(allObserved(unpackObserved(observed)));
}

/** Remembers what an edit says of devices, if it says what they are; what it takes back is forgotten. */
export async function teach(
  { lessons }: Pick<BaseContext, 'lessons'>,
  site: SiteId,
  edited: readonly StoredDevice[],
  edit: DeviceEdit,
): Promise<void> {
  if (edit.devType === undefined && edit.devModel === undefined) return;
  for (const device of edited.slice(0, MOST_LESSONS)) {
    const features = featuresOfDevice(device);
    const { key, record, byPerson = [] } = device;
    const said = (field: 'devType' | 'devModel') => (byPerson.includes(field) ? record[field] : '');
    const [type, model] = [said('devType'), said('devModel')];
    if (type === '' && model === '') await lessons.forget(site, key, features);
    else await lessons.learn(site, key, features, { type, model, vendor: record.devVendor });
  }
}

/** What people have said of devices like this one at the sites that the token may use, what most have said first. */
export async function looksLike(
  { lessons, sites }: Pick<BaseContext, 'lessons' | 'sites'>,
  { site, reach }: Pick<SiteCall, 'site' | 'reach'>,
  device: StoredDevice,
): Promise<LooksLike[]> {
  // What tags decide is asked of all sites at once.
  const reached = reach.isAll || reach.only !== null ? null : new Set(await reachedSites({ sites }, reach));
  const mayUse = (other: SiteId) => reached?.has(other) ?? reach.knows(other) === true;
  const found = await lessons.find(featuresOfDevice(device), mayUse);
  const byWords = new Map<string, Lesson[]>();
  for (const lesson of found) {
    if (lesson.site === site && lesson.device === device.key) continue;
    const words = JSON.stringify([lesson.type, lesson.model]);
    byWords.set(words, [...(byWords.get(words) ?? []), lesson]);
  }
  return [...byWords.values()]
    .flatMap((alike): LooksLike[] => {
      const [first] = alike;
      if (first === undefined) return [];
      const { type, vendor, model } = first;
      const isSaid = type === device.record.devType && (model === '' || model === device.record.devModel);
      const devices = new Set(alike.map((one) => `${one.site} ${one.device}`)).size;
      const sites = new Set(alike.map((one) => one.site)).size;
      return isSaid
        ? []
        : [{ type, vendor, model, sites, devices, because: [...new Set(alike.map(({ feature }) => feature))] }];
    })
    .sort((a, b) => b.devices - a.devices || (a.type < b.type ? -1 : 1))
    .slice(0, MOST_OFFERS);
}
