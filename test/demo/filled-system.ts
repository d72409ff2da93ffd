import type { Context } from '../../functions/context.ts';
import type { ApiClient } from '../api-client.ts';
import type { Fixtures } from '../support/fixtures.ts';

/** What is filled: the API, and its stores for what only agents report. */
export interface FilledSystem
  extends Pick<ApiClient, 'request' | 'token'>,
    Pick<Fixtures, 'importCsv' | 'createToken'> {
  readonly context: Context;
}
