/** The address of the API for those who get a link or a line from here. */

/** Whether the URL leads to the host on which it is used. */
export function isLoopback(url: string): boolean {
  return /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(new URL(url).hostname);
}

/**
 * What is offered: the address that the person uses, which works for others too; unless it leads to this host only, and
 * the service has others.
 * @param present the address that the person uses
 * @param others those under which the service says that other hosts reach it
 */
export function addressesToOffer(present: string, others: readonly string[]): readonly [string, ...string[]] {
  const [first, ...rest] = isLoopback(present) ? others : [];
  return first === undefined ? [present] : [first, ...rest, present];
}
