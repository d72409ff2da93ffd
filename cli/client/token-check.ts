/** Asks the API whether it accepts a token. */
import type { Access } from '../../client/transport.ts';
import { openApi } from './api.ts';

/**
 * @param site has to be one that the token may use, if it may ask
 * @throws what the client throws when the token or the site is refused, or the API cannot be reached
 */
export async function checkToken(access: Access, site?: string): Promise<void> {
  const client = openApi(access);
  const { scopes } = await client.ask('GET /tokens/self');
  if (site !== undefined && scopes.includes('devices:read'))
    await client.ask('GET /sites/{site}', { params: { site } });
}
