import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BLANK_DEVICE } from '../../shared/device.ts';
import { topologyOf } from './topology.ts';

const device = (key: string, parent: string, port = '') => ({
  key,
  record: {
    ...BLANK_DEVICE,
    devMac: key.startsWith('~') ? '' : key,
    devName: `n ${key}`,
    devParentMAC: parent,
    devParentPort: port,
  },
});

test('a parent outside the collection becomes a node', () => {
  expect(topologyOf([device('A', 'Internet', '1'), device('~1', 'A')])).toEqual({
    nodes: [
      { id: 'A', name: 'n A', vendor: '' },
      { id: '~1', name: 'n ~1', vendor: '' },
      { id: 'Internet', name: 'Internet', vendor: '' },
    ],
    links: [
      { source: 'Internet', target: 'A', port: '1' },
      { source: 'A', target: '~1', port: '' },
    ],
  });
});

test('both ends of every link exist, each node once, for any parents', () => {
  const id = fc.constantFrom('A', 'B', 'C', 'D', 'E');
  fc.assert(
    fc.property(fc.uniqueArray(id), fc.array(fc.oneof(id, fc.constant(''))), (keys, parents) => {
      const { nodes, links } = topologyOf(keys.map((key, i) => device(key, parents[i] ?? '')));
      const ids = nodes.map((node) => node.id);
      expect(new Set(ids).size).toBe(ids.length);
      for (const { source, target } of links) expect(ids).toEqual(expect.arrayContaining([source, target]));
    }),
  );
});
