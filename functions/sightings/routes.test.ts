import { expect, test } from 'vitest';
import { BLANK_DEVICE } from '../../shared/device.ts';
import { SCANS, unpackObserved } from '../devices/collection/observed.ts';
import { Snapshot } from '../devices/collection/snapshot.ts';
import { withRoute } from './routes.ts';

const [ROUTER, TWIN, FAR] = ['00:1E:06:AA:BB:01', '00:1E:06:AA:BB:02', '00:1E:06:AA:BB:03'] as const;
const device = (devMac: string, devLastIP: string, devAddresses = '') => ({
  key: devMac,
  record: { ...BLANK_DEVICE, devMac, devLastIP, devAddresses },
});
const SITE = new Snapshot('home', 1, [
  device(ROUTER, '10.0.0.1', '10.0.0.1,10.0.9.1'),
  device(TWIN, '10.0.0.2'),
  device(FAR, '10.9.0.5'),
]);
const trace = (...hops: (string | null)[][]) => ({
  target: '10.9.0.5',
  reached: true,
  hops: hops.map((addresses, i) => ({
    hop: i + 1,
    probes: addresses.map((address) => ({ address, rttMs: 1, note: null })),
  })),
});
const routeIn = (...hops: (string | null)[][]) => withRoute(SITE, '10.9.0.5', trace(...hops), 5_000);

test('a device behind a router of the site has it as its parent by route, once', async () => {
  const found = routeIn(['10.0.0.7'], ['10.0.9.1', null], ['10.9.0.5']);
  expect(unpackObserved(found?.observed)).toEqual({ [SCANS]: [{ source: 'parent-route', value: ROUTER, at: 5_000 }] });
  const after = await SITE.with(found === null ? [] : [found], [], 2);
  const again = trace(['10.0.9.1'], ['10.9.0.5']);
  expect(withRoute(after, '10.9.0.5', again, 6_000)).toBeNull();
  const moved = withRoute(after, '10.9.0.5', trace(['10.0.0.2'], ['10.9.0.5']), 7_000);
  expect(unpackObserved(moved?.observed)[SCANS]).toEqual([{ source: 'parent-route', value: TWIN, at: 7_000 }]);
});

test('a route says nothing where it is direct, has a gap or two ways, ends elsewhere, or passes strangers', () => {
  expect(routeIn(['10.9.0.5'])).toBeNull();
  expect(routeIn([null], ['10.9.0.5'])).toBeNull();
  expect(routeIn(['10.0.0.1', '10.0.0.2'], ['10.9.0.5'])).toBeNull();
  expect(routeIn(['192.0.2.1'], ['10.9.0.5'])).toBeNull();
  expect(withRoute(SITE, '10.9.0.5', { ...trace(['10.0.0.1'], ['10.9.0.5']), reached: false }, 1)).toBeNull();
  expect(withRoute(SITE, '10.9.0.77', trace(['10.0.0.1'], ['10.9.0.77']), 1)).toBeNull();
});
