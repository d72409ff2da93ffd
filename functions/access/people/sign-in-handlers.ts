/** `/sign-in`: the provider, and the token at the end of a sign-in. */
import type { signIn as operations } from '../../../shared/api/sign-in.ts';
import { ServiceError } from '../../../shared/errors.ts';
import { SCOPES } from '../../../shared/identity.ts';
import { HOUR_MS } from '../../../shared/time.ts';
import type { Handlers } from '../../http/call.ts';
import type { RequestContext } from '../../http/context.ts';
import { digestBytesOf, digestMatches, digestOf, makeToken, tokenId } from '../../http/token.ts';
import { rolesInWords } from './handlers.ts';

export const signInHandlers: Handlers<typeof operations, RequestContext<'people' | 'signIns'>> = {
  async getSignIn({ settings: { signIn } }) {
    return { success: true, provider: signIn === undefined ? null : { name: signIn.name } };
  },

  async createSession({ signIns, people, tokens, now, settings: { signIn } }, call, { code, verifier }) {
    if (signIn === undefined) throw new ServiceError('not_found', 'There is no identity provider here: use a token');
    const proved = await signIns.takeProved(code);
    const person = proved === null ? null : await people.find(proved.person, { consistent: true });
    const challenge = Buffer.from(proved?.challenge ?? '', 'base64url');
    if (person === null || person.isDisabled || !digestMatches(digestBytesOf(verifier), challenge)) {
      throw new ServiceError(
        'forbidden',
        'The sign-in was not begun by this browser, was completed before, or more than a minute ago: begin again',
      );
    }
    const token = makeToken();
    const id = tokenId(token)!;
    const createdAt = now();
    const expiresAt = new Date(createdAt.getTime() + signIn.sessionHours * HOUR_MS).toISOString();
    const row = {
      name: 'Sign-in',
      // All: the person's roles limit each request.
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
    await tokens.add(id, row);
    const detail = { person: person.id, name: person.name, roles: rolesInWords(person) };
    await call.audit(detail, { site: null, actor: id, person });
    return { success: true, token, expiresAt, person };
  },
};
