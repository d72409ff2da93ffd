/** By which our objects are known in NetBox: a tag, and two custom fields of devices. */
import * as z from 'zod';
import { Failure } from '../client/failure.ts';
import type { NetBox } from './netbox-client.ts';
import type { Writer } from './writer.ts';

export const TAG = { slug: 'lanreach' };
export const FIELDS = { id: 'lanreach_id', wrote: 'lanreach_wrote' };

/** Before it, a MAC was no object. */
const OLDEST = { major: 4, minor: 2 };
const OF_DEVICES = { object_types: ['dcim.device'], ui_editable: 'no', group_name: 'LanReach' };

/**
 * Makes the tag and the fields where they are missing.
 * @throws {Failure} when NetBox is too old, or the token may not make them
 */
export async function prepare(netbox: NetBox, writer: Writer): Promise<void> {
  const version = await netbox.version();
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major < OLDEST.major || (major === OLDEST.major && minor < OLDEST.minor)) {
    throw new Failure('failure', `NetBox ${version} is too old: it has to be ${OLDEST.major}.${OLDEST.minor} or newer`);
  }
  const tags = await netbox.list('extras/tags', z.object({ slug: z.string() }), TAG);
  if (tags.length === 0) {
    const body = { name: 'LanReach', ...TAG, color: '9e9e9e', description: 'Made by lanreach netbox sync' };
    await writer.create('extras/tags', [{ body, about: 'the tag lanreach' }]);
  }
  const fields = await netbox.list('extras/custom-fields', z.object({ name: z.string() }), {
    name: Object.values(FIELDS),
  });
  const isMissing = (name: string) => !fields.some((field) => field.name === name);
  const bodies = [
    { name: FIELDS.id, label: 'LanReach', type: 'text', ui_visible: 'if-set', ...OF_DEVICES },
    { name: FIELDS.wrote, label: 'Written by LanReach', type: 'json', ui_visible: 'hidden', ...OF_DEVICES },
  ];
  const missing = bodies.filter(({ name }) => isMissing(name));
  const made = await writer.create(
    'extras/custom-fields',
    missing.map((body) => ({ body, about: `the field ${body.name}` })),
  );
  // Without them nothing would be known again.
  if (made.includes(null))
    throw new Failure('failure', `NetBox has not made the custom fields: ${writer.report.refused.at(-1)}`);
}
