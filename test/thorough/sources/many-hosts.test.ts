/** Products with more hosts than an agent reads of one source. */
import { afterEach, expect, test } from 'vitest';
import { closeProducts, PRODUCTS, startProduct } from '../../support/agent/source-products.ts';

afterEach(closeProducts);

test.each(Object.keys(PRODUCTS))('%s with 10,000 hosts and more', async (name) => {
  const { read } = await startProduct(name, { more: 10_000 });
  const { hosts, isCut } = await read();
  // Each guest takes two requests, and one has two cards.
  if (name === 'Proxmox VE') return expect([hosts.size, isCut]).toEqual([501, false]);
  // It has a bound of its own in each request.
  if (name === 'Pi-hole') return expect([hosts.size > 9_990, isCut]).toEqual([true, false]);
  expect([hosts.size > 9_900, isCut]).toEqual([true, true]);
});
