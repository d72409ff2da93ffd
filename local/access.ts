/** Creates the first site, and a token with all rights. */
import { writeAtomically } from '../agent/state/atomic-file.ts';
import { createHomeSite, HOME, rootTokenRow } from '../functions/access/first-access.ts';
import type { Context } from '../functions/context.ts';
import { digestBytesOf, digestMatches, makeToken, tokenId } from '../functions/http/token.ts';
import type { DiscoverySettings } from '../shared/agent/discovery.ts';
import { DISCOVERY_OFF } from '../shared/api/records.ts';
import type { LocalConfig } from './config.ts';
import { type DataFolder, readSecret } from './data-folder.ts';
import { changeState, readState } from './state.ts';

/** Applies the setting DISCOVER, if any, to the site of this machine. @returns its settings */
export async function provideDiscovery(
  { sites }: Context,
  discover: LocalConfig['discover'],
): Promise<DiscoverySettings> {
  const changed = await sites.change(HOME, ({ name, discovery }) => ({ name, discovery: wanted(discovery, discover) }));
  await sites.updateStaleness(HOME);
  return changed?.after.discovery ?? DISCOVERY_OFF;
}

function wanted(before: DiscoverySettings, discover: LocalConfig['discover']): DiscoverySettings {
  if (discover === null) return before;
  return discover === 'off' ? { ...before, enabled: false } : { ...before, enabled: true, networks: discover };
}

export interface RootToken {
  token: string;
  /** Whether this start created it. */
  isNew: boolean;
  /** Its file; null for API_TOKEN. */
  file: string | null;
}

/** The token in API_TOKEN, else the one in the data folder, else a new one, which is stored there. */
export async function rootToken(data: DataFolder, given: string | null): Promise<RootToken> {
  if (given !== null) return { token: given, isNew: false, file: null };
  const kept = (await readSecret(data.tokenFile))?.trim() ?? '';
  if (tokenId(kept) !== null) return { token: kept, isNew: false, file: data.tokenFile };
  const token = makeToken();
  await writeAtomically(data.tokenFile, `${token}\n`);
  return { token, isNew: true, file: data.tokenFile };
}

/** Creates the site, adds the token, and revokes another token of an earlier start. */
export async function provideAccess(context: Context, data: DataFolder, token: string): Promise<void> {
  await createHomeSite(context);

  const id = tokenId(token)!;
  const { rootTokenId } = await readState(data);
  const isKnown = digestMatches(digestBytesOf(token), (await context.tokens.find(id))?.digest ?? null);
  // Also a token with the same id but another secret.
  if (rootTokenId !== null && !(rootTokenId === id && isKnown)) await context.tokens.revoke(rootTokenId);
  await changeState(data, { rootTokenId: id });
  if (isKnown) return;
  await context.tokens.add(id, rootTokenRow(token, 'npm start', context.now()));
}
