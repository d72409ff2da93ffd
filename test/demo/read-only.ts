/** Refuses what would change something, or reach into a network. */

import { refusalBody } from '../../functions/http/errors.ts';
import { operationsAt } from '../../functions/http/paths.ts';
import type { Operation, Operations } from '../../shared/api/operation.ts';
import { tables } from '../../shared/api/tables.ts';

const OPERATIONS = Object.values<Operations>(tables).flatMap((table) => Object.values<Operation>(table));
/** Below any prefix, GET as well: tools that agents run, and the steps of a sign-in. */
const NEVER = /\/(?:nettools|oauth|sign-in)\//;

/** @returns the refusal; null for a request that only reads */
export function refusal({ method, url, headers }: Pick<Request, 'method' | 'url' | 'headers'>): Response | null {
  const { pathname } = new URL(url);
  if (isRead(method, pathname)) return null;
  const message = 'This is a demonstration with made-up devices, and read-only: nothing can be changed or run';
  const body = refusalBody('forbidden', message, headers.get('x-request-id')?.match(/^[\w.-]{1,64}$/)?.[0] ?? 'demo');
  return Response.json(body, { status: 403 });
}

/** Operations that are no GET declare what they change. One that is not known is refused. */
function isRead(method: string, path: string): boolean {
  if (NEVER.test(path)) return false;
  if (['GET', 'HEAD', 'OPTIONS'].includes(method)) return true;
  const found = operationsAt(OPERATIONS, path).find((one) => one.method === method) as Operation | undefined;
  return found?.audit === null && found.scope === 'devices:read' && found.isCommand !== true;
}
