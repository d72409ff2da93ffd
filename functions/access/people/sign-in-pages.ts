/**
 * `/sign-in/start` and `/sign-in/callback`, which a browser visits on its way to the provider and back. They respond with
 * redirects, also after a failure: the user is a person, and the console explains it.
 */
import type { Person } from '../../../shared/api/records.ts';
import { Challenge, signInPages } from '../../../shared/api/sign-in.ts';
import { ServiceError } from '../../../shared/errors.ts';
import type { SIGN_IN_FAILURES } from '../../../shared/words.ts';
import { baseUrlOf } from '../../http/base-url.ts';
import type { RequestContext } from '../../http/context.ts';
import { invalid } from '../../http/errors.ts';
import { networkOf } from '../../http/refusal-brake.ts';
import { TokenBuckets } from '../../http/token-bucket.ts';
import { type RawCall, rawRoutes } from '../raw-routes.ts';
import { emailOf, grantsOf, nameOf } from './grants.ts';
import { invitedId, personId } from './person-store.ts';
import { type Identity, openProvider, type Provider, SignInFailure } from './provider.ts';
import type { SignInSettings } from './settings.ts';

/** Per address, so that no client fills the table with unfinished sign-ins. */
const ATTEMPTS = { capacity: 200, refillMs: 2_000, maxKeys: 10_000 };
/** People without a role. At some providers anyone in the world has an account. */
const MOST_WITHOUT_ROLE = 500;

type PagesContext = RequestContext<'people' | 'signIns'>;

interface Opened {
  context: PagesContext;
  signIn: SignInSettings;
  provider: Provider;
}

export const signInPageRoutes = rawRoutes(signInPages, (context: PagesContext) => {
  const { signIn } = context.settings;
  const buckets = new TokenBuckets(ATTEMPTS);
  const opened = signIn === undefined ? null : { context, signIn, provider: openProvider(signIn, context.now) };
  return (call) => {
    if (opened === null) throw new ServiceError('not_found', 'There is no identity provider here: use a token');
    requireAttempt(buckets, call);
    return call.request.url.includes(signInPages.finishSignIn.path) ? finish(opened, call) : start(opened, call);
  };
});

/** @throws {ServiceError} `method_not_allowed`, `too_many_requests` */
function requireAttempt(buckets: TokenBuckets, { request, clientAddress }: RawCall): void {
  if (request.method !== 'GET') throw new ServiceError('method_not_allowed', 'Only a browser may go here, by GET');
  if (clientAddress === undefined) return;
  buckets.require(networkOf(clientAddress), 'Too many sign-ins were begun at this address; try again later');
}

async function start({ context, provider }: Opened, call: RawCall): Promise<Response> {
  const challenge = Challenge.safeParse(new URL(call.request.url).searchParams.get('challenge'));
  if (!challenge.success)
    throw invalid('query.challenge', 'expected the SHA-256, in base64url, of a verifier that the browser keeps');
  const { path } = signInPages.startSignIn;
  const base = baseUrlOf(call.request, path, context.settings.publicUrl);
  try {
    const { url, attempt } = await provider.begin(`${base}${signInPages.finishSignIn.path}`);
    const { state, ...begun } = attempt;
    await context.signIns.begin(state, { ...begun, challenge: challenge.data });
    return redirect(302, url);
  } catch (error) {
    return toConsole(call, { error: failed(context, call, error) });
  }
}

async function finish({ context, signIn, provider }: Opened, call: RawCall): Promise<Response> {
  const { searchParams } = new URL(call.request.url);
  const state = searchParams.get('state') ?? '';
  const begun = await context.signIns.takeBegun(state);
  if (begun === null) return toConsole(call, { error: 'expired' });
  try {
    const identity = await provider.finish(searchParams, { ...begun, state });
    const person = await storePerson(context, signIn, identity);
    if (person === null || person.grants.length === 0) return denied(context, call, 'no-role', person);
    if (person.isDisabled) return denied(context, call, 'disabled', person);
    const code = await context.signIns.prove({ challenge: begun.challenge, person: person.id });
    return toConsole(call, { code });
  } catch (error) {
    return toConsole(call, { error: failed(context, call, error) });
  }
}

/** @returns null for a new person without a role, when there are too many of them already */
async function storePerson(
  { people, now }: PagesContext,
  { rules }: SignInSettings,
  { issuer, subject, claims }: Identity,
): Promise<Person | null> {
  const id = personId(issuer, subject);
  const lastSignInAt = now().toISOString();
  const known = { name: nameOf(claims, subject), email: emailOf(claims), lastSignInAt };
  if (known.email !== null && (await people.find(id)) === null) {
    const invited = await people.find(invitedId(issuer, known.email.toLowerCase()), { consistent: true });
    if (invited !== null && invited.grants.length > 0) {
      const { isInvited: _, ...given } = invited;
      const person = { ...given, ...known, id, issuer, subject, createdAt: lastSignInAt };
      if (await people.admit(invited, person)) return person;
    }
  }
  const grants = grantsOf(claims, rules);
  if (grants.length === 0 && (await people.find(id)) === null) {
    const all = (await people.list()).people;
    if (all.filter((person) => person.grants.length === 0).length >= MOST_WITHOUT_ROLE) return null;
  }
  return people.change(id, (before) => {
    if (before === null)
      return { id, issuer, subject, ...known, grants, grantsBy: 'claims', isDisabled: false, createdAt: lastSignInAt };
    return { ...before, ...known, ...(before.grantsBy === 'claims' ? { grants } : {}) };
  });
}

type Failure = (typeof SIGN_IN_FAILURES)[number];

/** The person is authenticated, but not authorized. */
function denied({ log }: PagesContext, call: RawCall, failure: Failure, person: Person | null): Response {
  const { requestId, clientAddress: sourceAddress } = call;
  log.warn({ requestId, sourceAddress, reason: failure, personId: person?.id }, 'sign-in denied');
  return toConsole(call, { error: failure });
}

/** Logs the failure, without anything that came from the browser or the provider. */
function failed({ log }: PagesContext, { requestId, clientAddress: sourceAddress }: RawCall, error: unknown): Failure {
  if (!(error instanceof SignInFailure)) throw error;
  log.warn({ requestId, sourceAddress, reason: error.reason, problem: error.message }, 'sign-in failed');
  return error.reason;
}

/** Relative, so that it keeps every prefix; in the fragment, so that it is sent to no server. */
function toConsole({ request }: RawCall, result: { code: string } | { error: Failure }): Response {
  // From `/sign-in/start`, the folder above; one more where the path ends with a slash.
  const up = new URL(request.url).pathname.endsWith('/') ? '../../' : '../';
  return redirect(303, `${up}console/#/sign-in?${new URLSearchParams(result)}`);
}

function redirect(status: 302 | 303, location: string): Response {
  const headers = { Location: location, 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' };
  return new Response(null, { status, headers });
}
