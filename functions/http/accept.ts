/**
 * Whether an Accept header lists this media type by its name (RFC 9110 section 12.5.1). A wildcard does not ask for it,
 * and neither does a weight of 0.
 */
export function acceptsMediaType(header: string | undefined, mediaType: string): boolean {
  return (header ?? '').split(',').some((range) => {
    const [name, ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    return name === mediaType && !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter));
  });
}
