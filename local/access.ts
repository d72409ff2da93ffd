/** What every system has from its first start: a site, and a token with every right. */
import { writeAtomically } from '../agent/state/atomic-file.ts';
import { provideHome, unlimited } from '../functions/access/first-access.ts';
import { digestOf, makeToken, tokenId } from '../functions/auth/token.ts';
import type { Context } from '../functions/context/context.ts';
import { type DataFolder, readSecret } from './data-folder.ts';
import { changeState, readState } from './state.ts';

export interface RootToken {
  token: string;
  /** Whether it has just been made. */
  isNew: boolean;
  /** Where it is kept; null for one that was given from outside. */
  file: string | null;
}

/** The token that was given from outside, else the one in the data folder, else a new one that is kept there. */
export async function rootToken(data: DataFolder, given: string | null): Promise<RootToken> {
  if (given !== null) return { token: given, isNew: false, file: null };
  const kept = (await readSecret(data.tokenFile))?.trim() ?? '';
  if (tokenId(kept) !== null) return { token: kept, isNew: false, file: data.tokenFile };
  const token = makeToken();
  await writeAtomically(data.tokenFile, `${token}\n`);
  return { token, isNew: true, file: data.tokenFile };
}

/** Makes the site and admits the token. The token that stood in its place at an earlier start is admitted no more. */
export async function provideAccess(context: Context, data: DataFolder, token: string): Promise<void> {
  await provideHome(context);

  const id = tokenId(token)!;
  const { rootTokenId } = await readState(data);
  const isKnown = (await context.tokens.find(id))?.digest === digestOf(token);
  // Also when only the secret behind the id is another one.
  if (rootTokenId !== null && !(rootTokenId === id && isKnown)) await context.tokens.revoke(rootTokenId);
  await changeState(data, { rootTokenId: id });
  if (isKnown) return;
  await context.tokens.add(id, unlimited(token, 'npm start', context.now()));
}
