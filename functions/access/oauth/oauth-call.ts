import type { RequestContext } from '../../http/context.ts';
import type { RawCall } from '../raw-routes.ts';

export type OAuthContext = RequestContext<'accessRequests'>;

export interface OAuthCall extends RawCall {
  context: OAuthContext;
  /** The URL under which the client knows this service. */
  base: string;
  /** Rate limit of requests that store a row, per address. @throws {ServiceError} `too_many_requests` */
  countRequest(): void;
  /** Rate limit of requests with an unknown secret, per address. @throws {ServiceError} `too_many_requests` */
  countGuess(): void;
}
