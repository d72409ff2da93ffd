/** `POST /backup`: the whole system as one file. One at a time, because each keeps the database from reusing its pages. */
import { hostname } from 'node:os';
import { routesOf } from '../../functions/access/routes.ts';
import type { Handlers, Routes } from '../../functions/http/call.ts';
import type { RequestContext } from '../../functions/http/context.ts';
import { HandlerResult } from '../../functions/http/handler-result.ts';
import { StreamedFile } from '../../functions/http/streamed-file.ts';
import type { TableSnapshot } from '../../functions/table/local-table.ts';
import { backupOperations } from '../../shared/backup/operations.ts';
import { ServiceError } from '../../shared/errors.ts';
import { FORMAT } from '../../shared/format.ts';
import type { DataFolder } from '../data-folder.ts';
import { makeBackup } from './make-backup.ts';

/** A reader that takes nothing for so long is gone: as long as it is there, the database grows with every write. */
const TAKEN_WITHIN_MS = 60_000;
const LOOK_EVERY_MS = 5_000;

export interface BackupParts {
  data: DataFolder;
  /** Null where the rows are in another database. */
  snapshot: (() => TableSnapshot) | null;
  version: string;
  /** Where agents on other hosts find the broker. */
  broker(): string;
  takenWithinMs?: number;
}

export function backupRoutes({
  data,
  snapshot,
  version,
  broker,
  takenWithinMs = TAKEN_WITHIN_MS,
}: BackupParts): Routes<RequestContext> {
  let isUnderWay = false;

  function requireIdle(): void {
    if (isUnderWay) throw new ServiceError('conflict', 'A backup is being made already; try again when it is done');
  }

  /** The file, until it is taken or nobody takes it any more. */
  async function* pieces(open: () => TableSnapshot): AsyncGenerator<Uint8Array> {
    requireIdle();
    const rows = open();
    isUnderWay = true;
    let takenAt = performance.now();
    let isGivenUp = false;
    let isOpen = true;
    const close = () => {
      if (isOpen) rows.close();
      isOpen = false;
      isUnderWay = false;
      clearInterval(watch);
    };
    const watch = setInterval(
      () => {
        if (performance.now() - takenAt < takenWithinMs) return;
        isGivenUp = true;
        close();
      },
      Math.min(LOOK_EVERY_MS, takenWithinMs),
    );
    try {
      const head = { format: FORMAT, version, madeAt: new Date().toISOString(), broker: broker() } as const;
      for await (const piece of makeBackup(data, rows, head)) {
        yield piece;
        if (isGivenUp) throw new Error(`nobody has taken anything of the backup for ${takenWithinMs / 1000} s`);
        takenAt = performance.now();
      }
    } finally {
      close();
    }
  }

  const handlers: Handlers<typeof backupOperations, RequestContext> = {
    async makeBackup(_context, call) {
      if (call.token.sites !== '*') throw new ServiceError('site_forbidden', 'Only a token for all sites may do that');
      if (snapshot === null) throw new ServiceError('not_found', NOT_EMBEDDED);
      requireIdle();
      await call.audit({ host: hostname() }, { site: null });
      return new HandlerResult(new StreamedFile(() => pieces(snapshot), 'application/x-tar'), {
        headers: { 'Content-Disposition': 'attachment; filename=lanreach-backup.tar' },
      });
    },
  };
  return routesOf(backupOperations, handlers);
}

const NOT_EMBEDDED =
  'The rows of this system are in DynamoDB and no file of this host: use its point-in-time recovery, as docs/restore-cloud.md says';
