/**
 * Backup and restore over HTTP. Not in `shared/api`: only a system on one machine has them, and they are for its command
 * line. In the cloud DynamoDB keeps every second of the last 35 days.
 */
import * as z from 'zod';
import type { Operations } from '../api/operation.ts';
import { SiteId } from '../identity.ts';
import { RowLine } from './contents.ts';

const site = z.object({ site: SiteId });
const restore = { method: 'POST', scope: 'admin' } as const;
const id = z.string().min(1).max(100);
/** Rows are put until they have more bytes than this. */
export const PUT_BYTES = 1024 * 1024;

export const backupOperations = {
  makeBackup: {
    method: 'POST',
    path: '/backup',
    scope: 'admin',
    audit: 'backup.make',
    summary: 'Everything, as it is now, in one file',
    mediaType: 'application/x-tar',
    headers: ['Content-Disposition'],
    errors: ['conflict', 'not_found'],
    response: z.string(),
    example: { response: '' },
  },
  beginSiteRestore: {
    ...restore,
    path: '/site-restores',
    audit: 'site.restore',
    summary: 'Begins to put a site back; until the end it counts as absent',
    body: z.object({ site: SiteId, replace: z.boolean() }),
    errors: ['conflict'],
    response: z.object({ success: z.literal(true), id }),
    example: { body: { site: 'cabin', replace: false }, response: { success: true, id: 'restore-1' } },
  },
  putSiteRows: {
    ...restore,
    path: '/site-restores/{site}/rows',
    audit: null,
    summary: 'Puts some of its rows',
    params: site,
    body: z.object({ id, rows: z.array(RowLine).max(10_000) }),
    maxBody: 4 * PUT_BYTES,
    errors: ['conflict'],
    response: z.object({ success: z.literal(true) }),
    example: { params: { site: 'cabin' }, body: { id: 'restore-1', rows: [] }, response: { success: true } },
  },
  endSiteRestore: {
    ...restore,
    path: '/site-restores/{site}/end',
    audit: 'site.restore',
    summary: 'Shows the site, when all of its rows are there',
    params: site,
    body: z.object({
      id,
      authority: z.string().max(20_000).meta({ description: 'The certificate of the authority in the backup, PEM.' }),
      revoked: z.array(z.string().max(100)).max(1_000_000).meta({ description: 'Certificates that were revoked.' }),
    }),
    maxBody: 16 * PUT_BYTES,
    errors: ['conflict'],
    response: z.object({
      success: z.literal(true),
      rows: z.int(),
      agents: z.array(z.string()).meta({ description: 'Those that come back by themselves.' }),
      lostAgents: z.array(z.string()).meta({ description: 'Those that have to be enrolled again.' }),
    }),
    example: {
      params: { site: 'cabin' },
      body: { id: 'restore-1', authority: '', revoked: [] },
      response: { success: true, rows: 12, agents: ['cabin:main'], lostAgents: [] },
    },
  },
} as const satisfies Operations;
