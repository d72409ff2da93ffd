/** `/devices`: the collection of a site. The documents of the API have the operations in this order. */
import { collection } from './device-collection.ts';
import { deletion, restoration } from './device-deletion.ts';
import { deviceEvents } from './device-events.ts';
import { deviceEvidence } from './device-evidence.ts';
import { deviceExport } from './device-export.ts';
import { deviceImport } from './device-import.ts';
import { joining } from './device-joining.ts';
import { presence } from './device-presence.ts';
import { views } from './device-views.ts';
import { oneDevice } from './one-device.ts';
import type { Operations } from './operation.ts';
import { placements } from './placements.ts';

export const devices = {
  ...collection,
  ...deletion,
  ...deviceExport,
  ...deviceImport,
  ...views,
  ...presence,
  ...placements,
  ...restoration,
  ...joining,
  ...oneDevice,
  ...deviceEvidence,
  ...deviceEvents,
} as const satisfies Operations;
