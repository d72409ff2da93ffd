/** Asks the API whether it accepts a token. */
import { type Access, openClient } from '../../client/client.ts';

/**
 * @param site has to be one that the token may use, if it may ask
 * @throws what the client throws when the token or the site is refused, or the API cannot be reached
 */
export async function checkToken(access: Access, site?: string): Promise<void> {
  const client = openClient(access);
  const { scopes } = await client.ask('GET /tokens/self');
  if (site !== undefined && scopes.includes('devices:read'))
    await client.ask('GET /sites/{site}', { params: { site } });
}
