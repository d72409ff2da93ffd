import type { Context } from '../../functions/context.ts';
import type { ApiClient } from '../api-client.ts';
import type { Fixtures } from '../support/fixtures.ts';

/** What is filled: the API, and its stores for what only agents report. */
export interface FilledSystem
  extends Pick<ApiClient, 'request' | 'token'>,
    Pick<Fixtures, 'importCsv' | 'createToken'> {
  readonly context: Context;
}

export async function succeed(
  lanreach: FilledSystem,
  ...[method, path, options]: Parameters<FilledSystem['request']>
): Promise<unknown> {
  const { status, text, json } = await lanreach.request(method, path, options);
  if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`);
  return json;
}

/** @returns the id of what was added */
export async function addMade(lanreach: FilledSystem, kind: string, site: string, body: object): Promise<string> {
  return ((await succeed(lanreach, 'POST', `/${kind}`, { site, body })) as { id: string }).id;
}
