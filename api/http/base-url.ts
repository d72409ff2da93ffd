/** Under which URL a client knows this service. */
import type { ServiceSettings } from '../context/context.ts';

/**
 * Without a slash at its end: what the operator has said, or else what the request says of itself. A reverse proxy that speaks
 * TLS for the service, or removes a prefix, has to be said.
 */
export function baseUrlOf(
  { publicUrl }: Pick<ServiceSettings, 'publicUrl'>,
  { request, prefix }: { request: Request; prefix: string },
): string {
  return publicUrl ?? `${new URL(request.url).origin}${prefix}`;
}
