import { expect, test } from 'vitest';
import { BLANK_DEVICE } from '../../shared/device.ts';
import { Snapshot } from '../dynamodb/snapshot.ts';
import { searchDevices } from './search.ts';

const snapshot = new Snapshot(
  'home',
  1,
  [
    { devName: 'NAS Öst', devMac: '00:1E:06:AA:BB:01', devLastIP: '192.168.1.20' },
    { devName: '100% _odd_', devMac: '00:1E:06:AA:BB:02', devLastIP: '192.168.1.100' },
  ].map((record) => ({ key: record.devMac, record: { ...BLANK_DEVICE, ...record } })),
);
const names = (query: string) => searchDevices(snapshot, query).map(({ record }) => record.devName);

test.each([
  ['nas', ['NAS Öst']],
  ['öst', ['NAS Öst']],
  ['1.20', ['NAS Öst']],
  ['192.168', ['NAS Öst', '100% _odd_']],
  ['bb:02', ['100% _odd_']],
  ['AA-BB-02', ['100% _odd_']],
  ['06AA.bb0', ['NAS Öst', '100% _odd_']],
  ['001e06aabb02', ['100% _odd_']],
  ['%', ['100% _odd_']],
  ['_', ['100% _odd_']],
  ['*', []],
  ['nothing', []],
  ['01\u0000192', []],
  ['\u0000', []],
])('%j finds %j', (query, found) => {
  expect(names(query)).toEqual(found);
});
