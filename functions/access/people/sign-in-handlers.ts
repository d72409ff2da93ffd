/** `/sign-in`: whether there is a provider, and the token at the end of a sign-in. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { signIn as operations } from '../../../shared/api/sign-in.ts';
import { ServiceError } from '../../../shared/errors.ts';
import { SCOPES } from '../../../shared/identity.ts';
import type { Handlers } from '../../http/call.ts';
import type { RequestContext } from '../../http/context.ts';
import { digestOf, makeToken, tokenId } from '../../http/token.ts';
import { rolesInWords } from './handlers.ts';

export const signInHandlers: Handlers<typeof operations, RequestContext<'people' | 'signIns'>> = {
  async getSignIn({ settings: { signIn } }) {
    return { success: true, provider: signIn === undefined ? null : { name: signIn.name } };
  },

  async createSession({ signIns, people, tokens, now, settings: { signIn } }, call, { code, verifier }) {
    if (signIn === undefined) throw new ServiceError('not_found', 'There is no identity provider here: use a token');
    const proved = await signIns.takeProved(code);
    const person = proved === null ? null : await people.find(proved.person, { consistent: true });
    if (proved === null || person === null || person.isDisabled || !isDigestOf(proved.challenge, verifier)) {
      throw new ServiceError(
        'forbidden',
        'The sign-in was not begun by this browser, was completed before, or more than a minute ago: begin again',
      );
    }
    const token = makeToken();
    const id = tokenId(token)!;
    const createdAt = now();
    const expiresAt = new Date(createdAt.getTime() + signIn.sessionHours * 3_600_000).toISOString();
    const row = {
      name: 'Sign-in',
      // All of them: at each request, the roles of the person decide.
      scopes: [...SCOPES],
      sites: '*' as const,
      defaultSite: null,
      createdAt: createdAt.toISOString(),
      createdBy: null,
      expiresAt,
      person: person.id,
      purpose: 'session' as const,
      ancestor: null,
      digest: digestOf(token),
    };
    await tokens.add(id, row, person);
    await call.audit({ person: person.id, name: person.name, roles: rolesInWords(person) }, { site: null, actor: id });
    return { success: true, token, expiresAt, person };
  },
};

function isDigestOf(challenge: string, verifier: string): boolean {
  const digest = createHash('sha256').update(verifier).digest();
  const wanted = Buffer.from(challenge, 'base64url');
  return wanted.length === digest.length && timingSafeEqual(wanted, digest);
}
