/** Backup over HTTP, for one machine only, so not in `shared/api`: DynamoDB restores any second of the last 35 days. */
import * as z from 'zod';
import { type Operations, route } from '../api/operation.ts';

export const backupOperations = {
  makeBackup: {
    ...route('POST', '/backup', 'admin'),
    audit: 'backup.make',
    summary: 'Everything, as it is now, in one file',
    mediaType: 'application/x-tar',
    headers: ['Content-Disposition'],
    errors: ['conflict', 'not_found'],
    response: z.string(),
    example: { response: '' },
  },
} as const satisfies Operations;
