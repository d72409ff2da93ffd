/**
 * The base URL of the API, without a trailing slash: as configured, otherwise that of a request.
 * @param path of the request, without the prefix under which the service is reached
 */
export function baseUrlOf(request: Pick<Request, 'url'>, path: string, publicUrl: string | undefined): string {
  if (publicUrl !== undefined) return publicUrl;
  const { origin, pathname } = new URL(request.url);
  const end = pathname.lastIndexOf(path);
  return `${origin}${end <= 0 ? '' : pathname.slice(0, end)}`;
}
