/** Deleting and restoring devices. */
import * as z from 'zod';
import { RESTORABLE_DAYS } from '../device.ts';
import { Changed, ChangeId, Count, DryRun, exampleChange } from './device-terms.ts';
import { list } from './list.ts';
import { answer, type Operations, onSite } from './operation.ts';

/** MACs and patterns in one request. */
const MAX_MACS = 100_000;
/** The patterns among them, because each is compared with every device of the site. */
export const MAX_MAC_PATTERNS = 20;

/** The handler checks it, because the accepted forms depend on the operation. */
const MacText = z.string().min(1).max(100).meta({ 'x-checked-further': true });

export const deletion = {
  deleteDevices: {
    ...onSite('DELETE', '/devices', 'devices:write'),
    audit: 'devices.delete',
    summary: 'Delete devices by MAC address; `*` matches any run of characters; without `macs` all of the site',
    maxBody: 4 * 1024 * 1024, // 100,000 MACs, with room for white space.
    query: z.object({ dryRun: DryRun }),
    // Strict, because a misspelt `macs` must not mean "all".
    body: z.strictObject({
      macs: list(MacText, { max: MAX_MACS })
        .nullable()
        .optional()
        .describe(
          `MACs in any notation, and patterns in which \`*\` stands for any run of characters: at most ` +
            `${MAX_MAC_PATTERNS} different ones, with at most 17 characters beside the stars, compared in the ` +
            'notation in which they are written. A device with several MACs is deleted by its main one, not by a joined ' +
            'one. Omitted or null: all devices of the site.',
        ),
    }),
    bodyOptional: true,
    response: answer({ deleted_count: Count, change: Changed }),
    errors: ['conflict'],
    example: { body: { macs: ['00:1E:06:*'] }, response: { success: true, deleted_count: 1, change: exampleChange } },
  },
  deleteEmptyMacs: {
    ...onSite('DELETE', '/devices/empty-macs', 'devices:write'),
    audit: 'devices.delete',
    summary: 'Delete the devices that have no MAC address',
    query: z.object({ dryRun: DryRun }),
    response: answer({ deleted: Count, change: Changed }),
    errors: ['conflict'],
    example: { response: { success: true, deleted: 2, change: exampleChange } },
  },
  deleteUnknown: {
    ...onSite('DELETE', '/devices/unknown', 'devices:write'),
    audit: 'devices.delete',
    summary: 'Delete the devices named `(unknown)` or `(name not found)`',
    query: z.object({ dryRun: DryRun }),
    response: answer({ deleted: Count, change: Changed }),
    errors: ['conflict'],
    example: { response: { success: true, deleted: 2, change: exampleChange } },
  },
} as const satisfies Operations;

export const restoration = {
  restoreDevices: {
    ...onSite('POST', '/devices/restore', 'devices:write'),
    audit: 'devices.restore',
    summary: `Restore the devices that a change deleted in the last ${RESTORABLE_DAYS} days: a deletion, an import with \`mode=replace\` or a join`,
    maxBody: 4 * 1024 * 1024, // As for deleting: 100,000 devices.
    query: z.object({ dryRun: DryRun }),
    // Strict: a misspelt `macs` must not read as "all".
    body: z.strictObject({
      change: z
        .union([ChangeId, z.int().min(0)])
        .optional()
        .describe('`change` of the answer to the deletion, or of an event. Omitted: the latest that deleted any.'),
      macs: list(MacText, { max: MAX_MACS })
        .optional()
        .describe('Only these: MACs in any notation, or keys as in topology.'),
    }),
    bodyOptional: true,
    response: answer({
      restored: Count,
      skipped: Count.describe(
        'Requested devices that were not restored: they exist again, or this change did not delete them.',
      ),
      change: ChangeId.describe('The change that deleted them.'),
    }),
    errors: ['not_found', 'conflict'],
    example: {
      body: { change: exampleChange },
      response: { success: true, restored: 2, skipped: 0, change: exampleChange },
    },
  },
} as const satisfies Operations;
