/** Fetches the program of a release from the API. The transport need not be trusted, because the content is signed. */
import { createPrivateKey, sign } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { PERMIT_HEADER, packageText } from '../../shared/agent/proof.ts';
import { MAX_RELEASE_BYTES } from '../../shared/agent/release.ts';
import { nullIfMissing } from '../../shared/errno.ts';
import { MINUTE_MS } from '../../shared/time.ts';
import { readBody } from '../host/fetched.ts';
import type { Identity } from '../identity/identity.ts';
import {
  type Expected,
  MAX_SIGNATURE_BYTES,
  ReleaseRefused,
  readRelease,
  type SignedRelease,
  unpackProgram,
} from './verify-release.ts';

const MAX_REDIRECTS = 3;

export interface FetchedProgram {
  version: string;
  node: string;
  code: Buffer;
}

interface ReleasePlace {
  api: string;
  /** File of the public key that verifies releases. */
  keyFile: string;
  identity: Pick<Identity, 'agent' | 'key'>;
}

/** @throws {ReleaseRefused} for a release that must not be installed; another error where a retry may help */
export async function fetchRelease({ api, keyFile, identity }: ReleasePlace, expected: Expected, signal: AbortSignal) {
  const key = await readFile(keyFile, 'utf8').catch(nullIfMissing);
  if (key === null) throw new ReleaseRefused('the package of this agent was built without a release key');
  const base = `${api.replace(/\/+$/, '')}/agent`;
  const { version, node, program } = readRelease(await fetchSigned(base, signal), key, expected);
  const limits = {
    maxBytes: program.bytes,
    withinMs: 10 * MINUTE_MS, // A megabyte at 20 kbit/s.
    signal,
    permit: permitFor(program.name, identity),
  };
  const packed = await fetchBounded(new URL(`${base}/packages/${program.name}`), limits);
  return { version, node, code: await unpackProgram(packed, program) };
}

/** The header that authorizes an agent to download a package, for some minutes. */
export function permitFor(name: string, { agent, key }: ReleasePlace['identity']): string {
  const at = Date.now();
  const proof = sign('sha256', Buffer.from(packageText(agent, at, name)), createPrivateKey(key));
  return `${agent} ${at} ${proof.toString('base64')}`;
}

async function fetchSigned(base: string, signal: AbortSignal): Promise<SignedRelease> {
  const file = (name: string, maxBytes: number) =>
    fetchBounded(new URL(`${base}/${name}`), { maxBytes, withinMs: 30_000, signal });
  const text = await file('release.json', MAX_RELEASE_BYTES);
  const signature = await file('release.json.sig', MAX_SIGNATURE_BYTES);
  return { text, signature: signature.toString('latin1') };
}

interface Limits {
  maxBytes: number;
  withinMs: number;
  signal: AbortSignal;
  /** For the API only: not sent to where it redirects. */
  permit?: string;
}

async function fetchBounded(url: URL, { maxBytes, withinMs, signal, permit }: Limits): Promise<Buffer> {
  const within = AbortSignal.any([signal, AbortSignal.timeout(withinMs)]);
  let target = url;
  for (let redirects = 0; ; redirects++) {
    const response = await fetch(target.href, {
      ...(permit !== undefined && target === url ? { headers: { [PERMIT_HEADER]: permit } } : {}),
      redirect: 'manual',
      signal: within,
    });
    if (response.status === 200) {
      const body = await readBody(response, maxBytes);
      if (body === null) throw new ReleaseRefused(`${url.pathname} is longer than ${maxBytes} bytes`);
      return body;
    }
    await response.body?.cancel();
    const location = response.headers.get('location');
    if (response.status < 300 || response.status >= 400 || location === null)
      throw new Error(`${url} answered with status ${response.status}`);
    if (redirects === MAX_REDIRECTS) throw new Error(`${url} is redirected more than ${MAX_REDIRECTS} times`);
    target = redirected(target, location);
  }
}

/** Follows HTTPS, or the same host, only: neither the API nor an attacker on the way to it can probe the agent's LAN. */
function redirected(from: URL, location: string): URL {
  const to = URL.canParse(location, from.href) ? new URL(location, from) : null;
  const isSameHost = to?.protocol === from.protocol && to.hostname === from.hostname;
  if (to?.protocol === 'https:' || isSameHost) return to as URL;
  throw new Error(`${from.host} redirects to where the agent does not follow: to another host, and not by HTTPS`);
}
