/** Whether an Accept header names this media type (RFC 9110 section 12.5.1), other than by a wildcard or with a weight of 0. */
export function acceptsMediaType(header: string | undefined, mediaType: string): boolean {
  return rangesOf(header ?? '').some(({ name, isRefused }) => name === mediaType && !isRefused);
}

/** Whether an Accept header permits this media type: of the ranges that cover it, the narrowest decides. */
export function permitsMediaType(header: string | undefined, mediaType: string): boolean {
  const ranges = rangesOf(header ?? '').filter(({ name }) => name !== '');
  if (ranges.length === 0) return true;
  const covering = [mediaType, `${mediaType.split('/')[0]}/*`, '*/*'];
  const narrowest = covering.map((name) => ranges.find((range) => range.name === name)).find(Boolean);
  return narrowest?.isRefused === false;
}

function rangesOf(header: string): { name: string; isRefused: boolean }[] {
  return header.split(',').map((range) => {
    const [name = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    return { name, isRefused: parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter)) };
  });
}
