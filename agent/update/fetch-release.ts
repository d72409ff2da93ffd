/** Fetches the program of a release from the API. The way there need not be trusted, because the content is signed. */
import { createPrivateKey, sign } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { PERMIT_HEADER, packageText } from '../../shared/agent/proof.ts';
import { MAX_RELEASE_BYTES } from '../../shared/agent/release.ts';
import type { Identity } from '../identity/identity.ts';
import {
  type Expected,
  MAX_SIGNATURE_BYTES,
  ReleaseRefused,
  readRelease,
  type SignedRelease,
  unpackProgram,
} from './verify-release.ts';

const ANSWER_WITHIN_MS = 30_000;
/** A megabyte at 20 kbit/s. */
const PROGRAM_WITHIN_MS = 10 * 60_000;
const MAX_REDIRECTS = 3;

export interface FetchedProgram {
  version: string;
  node: string;
  code: Buffer;
}

interface ReleasePlace {
  /** Base URL of the API. */
  api: string;
  /** Where the public key is by which releases are signed. */
  keyFile: string;
  /** By which the agent proves itself to the API. */
  identity: Pick<Identity, 'agent' | 'key'>;
}

/** @throws {ReleaseRefused} when trying again would not help; another error when it may */
export async function fetchRelease(
  { api, keyFile, identity }: ReleasePlace,
  expected: Expected,
  signal: AbortSignal,
): Promise<FetchedProgram> {
  const key = await readFile(keyFile, 'utf8');
  const base = `${api.replace(/\/+$/, '')}/agent`;
  const { version, node, program } = readRelease(await fetchSigned(base, signal), key, expected);
  const limits = {
    maxBytes: program.bytes,
    withinMs: PROGRAM_WITHIN_MS,
    signal,
    permit: permitFor(program.name, identity),
  };
  const packed = await fetchBounded(new URL(`${base}/packages/${program.name}`), limits);
  return { version, node, code: await unpackProgram(packed, program) };
}

/** What opens a package to an agent, for some minutes. */
export function permitFor(name: string, { agent, key }: ReleasePlace['identity']): string {
  const at = Date.now();
  const proof = sign('sha256', Buffer.from(packageText(agent, at, name)), createPrivateKey(key));
  return `${agent} ${at} ${proof.toString('base64')}`;
}

async function fetchSigned(base: string, signal: AbortSignal): Promise<SignedRelease> {
  const limits = { withinMs: ANSWER_WITHIN_MS, signal };
  const text = await fetchBounded(new URL(`${base}/release.json`), { ...limits, maxBytes: MAX_RELEASE_BYTES });
  const signature = await fetchBounded(new URL(`${base}/release.json.sig`), {
    ...limits,
    maxBytes: MAX_SIGNATURE_BYTES,
  });
  return { text, signature: Buffer.from(signature).toString('latin1') };
}

interface Limits {
  maxBytes: number;
  withinMs: number;
  signal: AbortSignal;
  /** For the API alone: where it redirects to has to know nothing of it. */
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
    if (response.status === 200) return readBounded(response, maxBytes, url);
    await response.body?.cancel();
    const location = response.headers.get('location');
    if (response.status < 300 || response.status >= 400 || location === null)
      throw new Error(`${url} answered with status ${response.status}`);
    if (redirects === MAX_REDIRECTS) throw new Error(`${url} is redirected more than ${MAX_REDIRECTS} times`);
    target = redirected(target, location);
  }
}

/**
 * Only over HTTPS, or within the same host: nobody on the way to an API without TLS, and no API, can make the agent ask
 * what else listens on its LAN.
 */
function redirected(from: URL, location: string): URL {
  const to = URL.canParse(location, from.href) ? new URL(location, from) : null;
  const isSameHost = to?.protocol === from.protocol && to.hostname === from.hostname;
  if (to?.protocol === 'https:' || isSameHost) return to as URL;
  throw new Error(`${from.host} redirects to where the agent does not follow: to another host, and not by HTTPS`);
}

async function readBounded(response: Response, maxBytes: number, url: URL): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of response.body ?? []) {
    length += piece.length;
    if (length > maxBytes) throw new ReleaseRefused(`${url.pathname} is longer than ${maxBytes} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}
