/** Deleting devices, and bringing them back. */
import * as z from 'zod';
import { RESTORABLE_DAYS } from '../device.ts';
import { Changed, ChangeId, Count, DryRun, exampleChange, succeeded } from './device-terms.ts';
import { list } from './list.ts';
import type { Operations } from './operation.ts';

/** Limit of MACs and patterns in one request. */
const MAX_MACS = 100_000;
/** Limit of the patterns among them, because each is compared with every device of the site. */
export const MAX_MAC_PATTERNS = 20;

/** Checked by the handler, because what fits depends on the operation. */
const MacText = z.string().min(1).max(100).meta({ 'x-checked-further': true });

export const deletion = {
  deleteDevices: {
    method: 'DELETE',
    path: '/devices',
    scope: 'devices:write',
    audit: 'devices.delete',
    perSite: true,
    summary: 'Delete devices by MAC address; `*` matches any run of characters; without `macs` all of the site',
    maxBody: 4 * 1024 * 1024, // 100,000 MACs, with room for white space.
    query: z.object({ dryRun: DryRun }),
    // Strict, because a misspelt `macs` must not mean "all".
    body: z.strictObject({
      macs: list(MacText, { max: MAX_MACS })
        .nullable()
        .optional()
        .meta({
          description:
            `MACs in any notation, and patterns in which \`*\` stands for any run of characters: at most ` +
            `${MAX_MAC_PATTERNS} different ones, with at most 17 characters beside the stars, compared in the ` +
            'notation in which they are written. A device of several MACs is deleted by its own, not by one that was ' +
            'joined with it. Omitted or null: all devices of the site.',
        }),
    }),
    bodyOptional: true,
    response: z.object({ success: succeeded, deleted_count: Count, change: Changed }),
    errors: ['conflict'],
    example: { body: { macs: ['00:1E:06:*'] }, response: { success: true, deleted_count: 1, change: exampleChange } },
  },
  deleteEmptyMacs: {
    method: 'DELETE',
    path: '/devices/empty-macs',
    scope: 'devices:write',
    audit: 'devices.delete',
    perSite: true,
    summary: 'Delete the devices that have no MAC address',
    query: z.object({ dryRun: DryRun }),
    response: z.object({ success: succeeded, deleted: Count, change: Changed }),
    errors: ['conflict'],
    example: { response: { success: true, deleted: 2, change: exampleChange } },
  },
  deleteUnknown: {
    method: 'DELETE',
    path: '/devices/unknown',
    scope: 'devices:write',
    audit: 'devices.delete',
    perSite: true,
    summary: 'Delete the devices named `(unknown)` or `(name not found)`',
    query: z.object({ dryRun: DryRun }),
    response: z.object({ success: succeeded, deleted: Count, change: Changed }),
    errors: ['conflict'],
    example: { response: { success: true, deleted: 2, change: exampleChange } },
  },
} as const satisfies Operations;

export const restoration = {
  restoreDevices: {
    method: 'POST',
    path: '/devices/restore',
    scope: 'devices:write',
    audit: 'devices.restore',
    perSite: true,
    summary: `Bring back what a change deleted in the last ${RESTORABLE_DAYS} days, by a delete, by an import with \`mode=replace\` or by a join`,
    maxBody: 4 * 1024 * 1024, // As for deleting: 100,000 devices.
    query: z.object({ dryRun: DryRun }),
    // Strict: a misspelt `macs` must not read as "all".
    body: z.strictObject({
      change: z
        .union([ChangeId, z.int().min(0)])
        .optional()
        .meta({
          description:
            '`change` of the answer that deleted them, or of an event. Omitted: the latest that deleted any.',
        }),
      macs: list(MacText, { max: MAX_MACS })
        .optional()
        .meta({ description: 'Only these of them: MACs in any notation, or keys as topology has them.' }),
    }),
    bodyOptional: true,
    response: z.object({
      success: succeeded,
      restored: Count,
      skipped: Count.meta({
        description:
          'Devices that were asked for and not brought back: they exist again, or this change did not delete them.',
      }),
      change: ChangeId.meta({ description: 'The change that had deleted them.' }),
    }),
    errors: ['not_found', 'conflict'],
    example: {
      body: { change: exampleChange },
      response: { success: true, restored: 2, skipped: 0, change: exampleChange },
    },
  },
} as const satisfies Operations;
