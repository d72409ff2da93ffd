import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BLANK_DEVICE } from '../../shared/device.ts';
import { topologyOf } from './topology.ts';

test('both ends of every link exist, each node once, for any parents', () => {
  const id = fc.constantFrom('A', 'B', 'C', 'D', 'E');
  fc.assert(
    fc.property(fc.uniqueArray(id), fc.array(fc.oneof(id, fc.constant(''))), (keys, parents) => {
      const { nodes, links } = topologyOf(
        keys.map((key, i) => ({ key, record: { ...BLANK_DEVICE, devMac: key, devParentMAC: parents[i] ?? '' } })),
      );
      const ids = nodes.map((node) => node.id);
      expect(new Set(ids).size).toBe(ids.length);
      for (const { source, target } of links) expect(ids).toEqual(expect.arrayContaining([source, target]));
    }),
  );
});
