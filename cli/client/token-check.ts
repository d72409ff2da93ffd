/** Asks the API whether it accepts a token. */
import { type Access, openClient } from '../../client/client.ts';
import { admin } from '../../shared/api/admin.ts';

/**
 * @param site has to be one that the token may use, if it may ask
 * @throws what the client throws when the token or the site is refused, or the API cannot be reached
 */
export async function checkToken(access: Access, site?: string): Promise<void> {
  const client = openClient(access);
  const { scopes } = await client.ask(admin.getOwnToken);
  if (site !== undefined && scopes.includes('devices:read')) await client.ask(admin.getSite, { params: { site } });
}
