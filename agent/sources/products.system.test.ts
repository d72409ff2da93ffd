/** Each product that is read by HTTP, against its stand-in, which also misbehaves. */
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { type Fault, Product, SECRETS } from '../../test/support/agent/source-product.ts';
import { closeProducts, PRODUCTS, startProduct, VARIANTS } from '../../test/support/agent/source-products.ts';
import { LOCKOUT_MS, SourceFailure } from './source.ts';

afterEach(closeProducts);

/** The failure of a reading, which never quotes a secret. */
async function failureOf(reading: Promise<unknown>): Promise<SourceFailure> {
  const failure = await reading.catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(SourceFailure);
  for (const secret of SECRETS) expect(String(failure)).not.toContain(secret);
  // That is what a defect of a reader comes to.
  expect(String(failure)).not.toContain('could not be understood');
  return failure as SourceFailure;
}

/** The hosts of the fixture by MAC, and nothing beyond what it names. */
function expected({ fixture }: Product) {
  const hosts = Object.entries(fixture.expected).map(([last, host]) => ({ ...host, mac: `00:1E:06:00:00:${last}` }));
  return Object.fromEntries(hosts.map((host) => [host.mac, host]));
}

/** The statuses of lists that a product may lack, or that the rights may leave out, beside another. */
const MAY_LACK: Readonly<Record<string, number[]>> = {
  OPNsense: [403, 404],
  'FRITZ!Box': [404, 500],
  MikroTik: [404],
  'Proxmox VE': [403, 404, 500],
};

describe.each(Object.keys(PRODUCTS))('%s', (name) => {
  test('its hosts, with names, links, and presence only where it says so; the same at the next reading', async () => {
    const { product, read } = await startProduct(name);
    const first = await read();
    expect(Object.fromEntries(first.hosts)).toEqual(expected(product));
    expect(first.isCut).toBe(false);
    const { sessions } = product;
    // Of UniFi one is kept for the next reading; those of a digest are nonces.
    const kept = { 'UniFi OS': 1, 'FRITZ!Box': 1 }[name] ?? 0;
    expect(sessions.size, 'sessions that are left').toBe(kept);
    expect((await read()).hosts).toEqual(first.hosts);
    if (name === 'UniFi OS') expect(product.logins).toBe(1);
  });

  test('each status that is no success, from each request on', async () => {
    const { product, read } = await startProduct(name);
    await read();
    const before = product.received.length;
    await read();
    // But for the last two, which may be the name of a network and the end of a session.
    const later = Math.max(1, product.received.length - before - 2);
    const statuses = [401, 403, 404, 429, 500, 503];
    const cases = [...statuses.map((status) => [0, status]), ...statuses.map((status, i) => [1 + (i % later), status])];
    for (const [from = 0, status = 0] of cases) {
      product.fault = { from: product.received.length + from, what: status };
      const reading = read();
      const failure = await reading.then(() => null).catch(() => failureOf(reading));
      const where = `${status} from ${from}`;
      if (failure === null) expect([from > 0, MAY_LACK[name]], where).toEqual([true, expect.arrayContaining([status])]);
      else if ([401, 403, 429].includes(status)) expect(failure.waitMs, where).toBe(LOCKOUT_MS);
    }
  });

  test('nonsense, cut texts, a broken connection and a hang are failures', async () => {
    const { product, read } = await startProduct(name);
    await read();
    const nonsense = ['<html>starting</html>', '', 'null', '{}', '[[]]'].map((text) => () => text);
    const cut: Fault = (body) => body.slice(0, -9);
    for (const what of [...nonsense, cut, 'broken off', 'hang'] as const) {
      product.fault = { from: product.received.length, what };
      const { message } = await failureOf(read({ timeoutMs: 60 }));
      if (what === 'hang') expect(message).toContain('did not answer within');
    }
    product.fault = null;
    expect(Object.fromEntries((await read()).hosts)).toEqual(expected(product));
  });

  test('fields that are missing or of another type are no defect, and make up no host', async () => {
    const { product, read } = await startProduct(name);
    const known = JSON.stringify(product.fixture.answers).toUpperCase().replaceAll('-', ':');
    await fc.assert(
      fc.asyncProperty(
        fc.infiniteStream(fc.nat()),
        fc.constantFrom(null, 7, '', 'x', [], {}, [null], true),
        async (numbers, value) => {
          product.fault = { from: 0, what: (body) => distorted(body, () => numbers.next().value ?? 0, value) };
          const reading = read();
          const hosts = await reading.then(({ hosts }) => [...hosts.keys()]).catch(() => failureOf(reading));
          for (const mac of Array.isArray(hosts) ? hosts : []) expect(known).toContain(mac);
        },
      ),
      { numRuns: 8 },
    );
  });
});

test.each(Object.keys(PRODUCTS).filter((name) => name !== 'Docker'))(
  '%s rejects the credentials: no other attempt for 15 minutes',
  async (name) => {
    const { product, read } = await startProduct(name, { settings: wrong(name) });
    expect(await failureOf(read())).toMatchObject({
      message: expect.stringContaining('credentials'),
      waitMs: LOCKOUT_MS,
    });
    expect(product.received.length, 'requests').toBeLessThan(4);
  },
);

test.each(['UniFi OS', 'FRITZ!Box', 'OpenWrt', 'Pi-hole'])('%s: sessions that expire in the middle', async (name) => {
  const { product, read } = await startProduct(name);
  const before = [...(await read()).hosts];
  const requests = product.received.length;
  // A challenge of a digest, the first answer, holds for one request at least.
  for (let i = name === 'FRITZ!Box' ? 2 : 1; i < requests; i++) {
    product.expiresAt = product.received.length + i;
    expect([...(await read()).hosts]).toEqual(before);
  }
});

function wrong(name: string): object {
  const secret = Object.entries(new Product(PRODUCTS[name]![0], PRODUCTS[name]![1]).fixture.settings).find(
    ([, value]) => SECRETS.includes(value),
  );
  return { [secret![0]]: 'wrong' };
}

/** The JSON with some of its values replaced, or left out; other text with some of its characters replaced. */
function distorted(body: string, next: () => number, value: unknown): string {
  try {
    return JSON.stringify(JSON.parse(body), function (this: unknown, key, original) {
      if (key === '' || next() % 6 > 0) return original;
      return Array.isArray(this) || next() % 2 > 0 ? value : undefined;
    });
  } catch {
    return body.replace(/>[^<]*</g, (text) =>
      next() % 6 > 0 ? text : `>${JSON.stringify(value).replaceAll('"', '')}<`,
    );
  }
}

test('UniFi before UniFi OS, which redirects to its pages', async () => {
  const { product, read } = await startProduct('UniFi OS', { speak: VARIANTS.unifiController });
  expect(Object.fromEntries((await read()).hosts)).toEqual(expected(product));
  const paths = ['/', '/api/login', '/api/s/default/stat/device', '/api/s/default/stat/sta'];
  expect(product.received.map(({ path }) => path)).toEqual(paths);
  const second = await startProduct('UniFi OS', { speak: VARIANTS.unifiSecondFactor });
  expect((await failureOf(second.read())).message).toContain('second factor');
});

test('a FRITZ!Box that fails to make its list is read entry by entry; without a mesh, by the sockets of the list', async () => {
  const { product, read } = await startProduct('FRITZ!Box', { speak: VARIANTS.withoutHostList });
  const hosts = expected(product);
  const repeater = '00:1E:06:00:00:A2';
  // Entries have no models.
  const withoutModel = { ...hosts, [repeater]: { ...hosts[repeater], model: undefined } };
  expect(Object.fromEntries((await read()).hosts)).toEqual(withoutModel);
  const single = await startProduct('FRITZ!Box', { speak: VARIANTS.withoutMeshList });
  const link = { medium: 'wired', port: 'LAN 2' };
  expect((await single.read()).hosts.get('00:1E:06:00:00:01')?.link).toEqual(link);
});
