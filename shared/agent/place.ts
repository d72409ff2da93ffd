/**
 * The servers of a deployment: where agents find the one that counts and the one that may take over. Each promotion of a
 * standby gives the deployment a greater term, by which a server that comes back is known as superseded.
 */
import * as z from 'zod';

const MQTTS = /^mqtts:\/\/(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])(?::[0-9]{1,5})?\/?$/i;

export const HttpUrl = z.url({ protocol: /^https?$/, error: 'expected an http:// or https:// URL' });
/** TLS is required because the client certificate is the only proof of the agent's identity. */
export const BrokerUrl = z.string().refine((text) => MQTTS.test(text) && URL.canParse(text), {
  error: 'expected mqtts://<host> or mqtts://<host>:<port>',
});

const LONGEST_URL = 300;

/** Where agents find a server: the API, which renews their certificates, and the broker. */
export const Place = z.object({
  api: HttpUrl.refine((url) => url.length <= LONGEST_URL, { error: 'too long' }),
  broker: BrokerUrl.refine((url) => url.length <= LONGEST_URL, { error: 'too long' }),
});
export type Place = z.infer<typeof Place>;

export const Term = z.int().min(1).max(1_000_000);

/** What a server tells its agents of the deployment. */
export const Deployment = z.object({
  /** Greater with each promotion. A server with a smaller one than an agent has heard of is superseded. */
  term: Term,
  /** Where the server is that may take over; null when there is none. */
  standby: Place.nullable(),
  /** The signature of the term, which agents pass on: of an agent alone no server believes a greater one. Absent in the cloud. */
  proof: z.base64().max(200).optional(),
});
export type Deployment = z.infer<typeof Deployment>;

/** What an agent takes for granted until it is told, so that most deployments never have to tell it. */
export const FIRST_DEPLOYMENT: Deployment = { term: 1, standby: null };

export function isSameDeployment(one: Deployment, other: Deployment): boolean {
  return one.term === other.term && isSamePlace(one.standby, other.standby);
}

export function isSamePlace(one: Place | null, other: Place | null): boolean {
  return one?.api === other?.api && one?.broker === other?.broker;
}

const MQTTS_PORT = 8883;

/** `<URL of the API>`, with a broker at the same host, or `<URL of the API>,<URL of the broker>`. */
export const PlaceText = z.string().transform((text, context): Place => {
  const [api = '', broker] = text.split(',').map((url) => url.trim().replace(/\/+$/, ''));
  const host = URL.canParse(api) ? new URL(api).hostname : '';
  const place = Place.safeParse({ api, broker: broker ?? `mqtts://${host}:${MQTTS_PORT}` });
  if (place.success) return place.data;
  const message = 'expected the URL of an API such as http://10.0.0.3:8787 and, behind a comma, mqtts://<host>:<port>';
  context.addIssue({ code: 'custom', message });
  return z.NEVER;
});
