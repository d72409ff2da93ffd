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
import { MINUTE_MS } from '../../shared/time.ts';
import type { DataFolder } from '../data-folder.ts';
import { makeBackup } from './make-backup.ts';

export interface BackupParts {
  data: DataFolder;
  /** Null where the rows are in another database. */
  snapshot: (() => TableSnapshot) | null;
  version: string;
  /** The address of the broker for agents on other hosts. */
  broker(): string;
  /** A reader that reads nothing for this long is gone: during a backup, the database grows with every write. */
  readWithinMs?: number;
}

export function backupRoutes(parts: BackupParts): Routes<RequestContext> {
  const { data, snapshot, version, broker, readWithinMs = MINUTE_MS } = parts;
  let isRunning = false;

  function requireIdle(): void {
    if (isRunning) throw new ServiceError('conflict', 'A backup is being made already; try again when it is done');
  }

  /** The file, until the reader has read all of it, or times out. */
  async function* pieces(open: () => TableSnapshot): AsyncGenerator<Uint8Array> {
    requireIdle();
    const rows = open();
    isRunning = true;
    let readAt = performance.now();
    let isTimedOut = false;
    let isOpen = true;
    const close = () => {
      if (isOpen) rows.close();
      isOpen = false;
      isRunning = false;
      clearInterval(watch);
    };
    const watch = setInterval(
      () => {
        if (performance.now() - readAt < readWithinMs) return;
        isTimedOut = true;
        close();
      },
      Math.min(5_000, readWithinMs),
    );
    try {
      const head = { format: FORMAT, version, madeAt: new Date().toISOString(), broker: broker() } as const;
      for await (const piece of makeBackup(data, rows, head)) {
        yield piece;
        if (isTimedOut) throw new Error(`the client has not read from the backup for ${readWithinMs / 1000} s`);
        readAt = performance.now();
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
