/** The address of the API in links and command lines for other hosts. */

export function isLoopback(url: string): boolean {
  return /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(new URL(url).hostname);
}

/**
 * @param present the address of this page: the only offer, unless it leads to this host alone and there are others
 * @param others the addresses at which other hosts reach the service
 */
export function addressesToOffer(present: string, others: readonly string[]): readonly [string, ...string[]] {
  const [first, ...rest] = isLoopback(present) ? others : [];
  return first === undefined ? [present] : [first, ...rest, present];
}
