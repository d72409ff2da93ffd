/** What the endpoints of OAuth know of a request. */
import type { RequestContext } from '../../http/context.ts';
import type { RawCall } from '../raw-routes.ts';

export type OAuthContext = RequestContext<'accessRequests'>;

export interface OAuthCall extends RawCall {
  context: OAuthContext;
  /** The URL under which the client knows this service. */
  base: string;
  /**
   * Counts a request that leaves a row, of the address of the client.
   * @throws {ServiceError} `too_many_requests`
   */
  countRequest(): void;
  /** Counts one that names a secret which nobody has given. Throws as the other does. */
  countGuess(): void;
}
