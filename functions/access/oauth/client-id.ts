/**
 * OAuth clients that have registered themselves (RFC 7591). Nothing is stored: the id of a client encodes its name and its
 * redirect URIs. A forged id gains nothing, because anyone may register; a person decides in both cases.
 */
import * as z from 'zod';
import { orNull } from '../../../shared/problem.ts';
import { legible, oneLine, startOf } from '../../../shared/text.ts';
import { OAuthFailure } from './form.ts';

export interface OAuthClient {
  id: string;
  /** Its own name for itself. */
  name: string;
  redirectUris: readonly string[];
}

/** Fits into a URL behind every gateway. */
const MAX_ID = 2_000;
const MAX_NAME = 100;
const MAX_URI = 500;
const MAX_URIS = 8;
const PREFIX = 'lrc_';

const Content = z.object({
  n: z.string().min(1).max(MAX_NAME),
  r: z.array(z.string().max(MAX_URI)).max(MAX_URIS),
});

/** The relevant part of a registration. The rest are preferences of the client; the response states what it gets. */
const Registration = z.object({
  client_name: z.string().optional(),
  redirect_uris: z.array(z.string().max(MAX_URI)).max(MAX_URIS).default([]),
});

/** @throws {OAuthFailure} `invalid_redirect_uri` or `invalid_client_metadata` */
export function registeredClient(metadata: unknown): OAuthClient {
  const parsed = Registration.safeParse(metadata);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw new OAuthFailure('invalid_client_metadata', `${issue?.path.join('.')}: ${issue?.message}`);
  }
  const { client_name: name = '', redirect_uris: redirectUris } = parsed.data;
  const [first] = redirectUris;
  if (first === undefined || !redirectUris.every(isAllowedTarget)) {
    throw new OAuthFailure(
      'invalid_redirect_uri',
      'expected redirect URIs with https://, or with http:// on the loopback interface, and without a fragment',
    );
  }
  const shown = nameOf(name, first);
  const id = `${PREFIX}${Buffer.from(JSON.stringify({ n: shown, r: redirectUris })).toString('base64url')}`;
  if (id.length > MAX_ID) throw new OAuthFailure('invalid_client_metadata', 'name and redirect URIs are too long');
  return { id, name: shown, redirectUris };
}

/** The name that people see: legible, and never empty. */
function nameOf(given: string, redirectUri: string): string {
  const name = startOf(oneLine(legible(given)).trim(), MAX_NAME).trim();
  return name === '' ? new URL(redirectUri).hostname.slice(0, MAX_NAME) : name;
}

/** The client with this id; null for an id that no registration could have issued. */
export function clientOf(id: string): OAuthClient | null {
  if (id.length > MAX_ID || !/^lrc_[\w-]+$/.test(id)) return null;
  const text = Buffer.from(id.slice(PREFIX.length), 'base64url').toString();
  return orNull(() => {
    const { n, r } = Content.parse(JSON.parse(text));
    const client = registeredClient({ client_name: n, redirect_uris: r });
    return client.id === id ? client : null; // Another spelling is no id of ours.
  });
}

/** Matched as written, so that every program parses the same host. */
const LOOPBACK = /^http:\/\/(127\.0\.0\.1|\[::1\]|localhost)(?::\d{1,5})?(?=[/?]|$)/;

/** With TLS, or on the person's host; never a custom scheme, which any program could claim. */
function isAllowedTarget(text: string): boolean {
  if (!URL.canParse(text) || !/^[\x21-\x7e]+$/.test(text) || /[#\\]/.test(text)) return false;
  const { protocol, username, password } = new URL(text);
  const isPlain = username === '' && password === '';
  return isPlain && (protocol === 'https:' ? text.startsWith('https://') : LOOPBACK.test(text));
}

/**
 * Whether the redirect URI is exactly a registered one, except for the port on the loopback interface, where a program uses
 * any free one (RFC 8252, section 7.3).
 */
export function mayRedirect({ redirectUris }: OAuthClient, uri: string): boolean {
  if (uri.length > MAX_URI || !isAllowedTarget(uri)) return false;
  return redirectUris.some((registered) => withoutPort(registered) === withoutPort(uri));
}

/** Whether an allowed target is on the approver's own host. */
export const isOnLoopback = (uri: string): boolean => LOOPBACK.test(uri);

/** Removes the port of an address on the loopback interface; any other stays as it is. */
const withoutPort = (text: string): string => text.replace(LOOPBACK, 'http://$1');
