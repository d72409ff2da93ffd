/** People as they are after they have come back from an identity provider, without one. */
import { createHash, randomBytes } from 'node:crypto';
import { personId } from '../../functions/access/people/person-store.ts';
import type { SignInSettings } from '../../functions/access/people/settings.ts';
import type { Grant, Person } from '../../shared/api/records.ts';
import { signIn } from '../../shared/api/sign-in.ts';
import type { RequestOptions } from '../api-client.ts';
import type { TestApi } from './in-process.ts';

const ISSUER = 'https://login.example.org';

/** Of a service whose provider nobody asks. */
export const SIGN_IN: SignInSettings = {
  issuer: ISSUER,
  name: 'Example',
  clientId: 'lanreach',
  clientSecret: async () => null,
  scopes: 'openid',
  rules: [],
  sessionHours: 12,
};

/** A secret of a browser, and what it says of it. */
export function newVerifier(): { verifier: string; challenge: string } {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}

interface SignInApi {
  context: Pick<TestApi['context'], 'people' | 'signIns'>;
  request(method: string, path: string, options: RequestOptions): Promise<{ json: unknown }>;
}

/** Signs somebody in. @returns the person, and the token of the session */
export async function signedIn(
  { context, request }: SignInApi,
  subject: string,
  grants: Grant[],
  grantsBy: Person['grantsBy'] = 'hand',
): Promise<{ id: string; token: string }> {
  const id = personId(ISSUER, subject);
  const at = new Date().toISOString();
  const who = { id, issuer: ISSUER, subject, name: subject, email: null, isDisabled: false };
  await context.people.change(id, () => ({ ...who, grants, grantsBy, createdAt: at, lastSignInAt: at }));
  const { verifier, challenge } = newVerifier();
  const code = await context.signIns.prove({ challenge, person: id });
  const answer = await request('POST', '/sign-in/session', { token: null, body: { code, verifier } });
  return { id, token: signIn.createSession.response.parse(answer.json).token };
}
