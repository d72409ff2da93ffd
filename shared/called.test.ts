/** What a device without a name is called. */
import { expect, test } from 'vitest';
import { calledBy } from './called.ts';

const MAC = '00:1B:54:78:01:C0';

test.each([
  ['nas', 'Cisco Systems, Inc', 'Switch', 'nas'],
  ['(unknown)', 'Cisco Systems, Inc', '', 'Cisco device …01:C0'],
  ['', 'Cisco Systems, Inc', 'Switch', 'Cisco Switch …01:C0'],
  ['(name not found)', 'Sony Interactive Entertainment Inc.', 'Game Console', 'Sony Game Console …01:C0'],
  ['(unknown)', 'AVM Audiovisuelles Marketing und Computersysteme GmbH', '', 'AVM device …01:C0'],
  ['(unknown)', 'Hangzhou Hikvision Digital Technology Co.,Ltd.', 'Camera', 'Hangzhou Hikvision Digital Camera …01:C0'],
  ['(unknown)', '', 'Phone', 'Phone …01:C0'],
  ['(unknown)', '', '', ''],
])(
  'a device that is named "%s", of "%s" and a "%s", is called by what is known: %s',
  (devName, devVendor, devType, is) => {
    expect(calledBy({ devName, devVendor, devType, devMac: MAC })).toBe(is);
  },
);
