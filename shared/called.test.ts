/** What a device without a name is called, and its maker. */
import { expect, test } from 'vitest';
import { brandOf, calledBy } from './called.ts';

const MAC = '00:1B:54:78:01:C0';

test.each([
  ['nas', 'Cisco Systems, Inc', 'Switch', 'nas'],
  ['(unknown)', 'Cisco Systems, Inc', '', 'Cisco device …01:C0'],
  ['', 'Cisco Systems, Inc', 'Switch', 'Cisco Switch …01:C0'],
  ['(name not found)', 'Sony Interactive Entertainment Inc.', 'Game Console', 'Sony Game Console …01:C0'],
  ['(unknown)', 'AVM Audiovisuelles Marketing und Computersysteme GmbH', '', 'AVM device …01:C0'],
  ['(unknown)', 'Hangzhou Hikvision Digital Technology Co.,Ltd.', 'Camera', 'Hikvision Camera …01:C0'],
  ['(unknown)', '', 'Phone', 'Phone …01:C0'],
  ['(unknown)', '', '', ''],
])(
  'a device that is named "%s", of "%s" and a "%s", is called by what is known: %s',
  (devName, devVendor, devType, is) => {
    expect(calledBy({ devName, devVendor, devType, devMac: MAC })).toBe(is);
  },
);

test.each([
  ['AVM Audiovisuelles Marketing und Computersysteme GmbH', 'AVM'],
  ['HUAWEI TECHNOLOGIES CO.,LTD', 'Huawei'],
  ['Samsung Electronics Co.,Ltd', 'Samsung'],
  ['Zhejiang Dahua Technology Co., Ltd.', 'Dahua'],
  ['Hon Hai Precision Ind. Co.,Ltd.', 'Foxconn'],
  ['Raspberry Pi Trading Ltd', 'Raspberry Pi'],
  ['NETGEAR', 'Netgear'],
  ['Miele & Cie. KG', 'Miele & Cie. KG'],
  ['Shenzhen', 'Shenzhen'],
  ['', ''],
])('the maker "%s" is shown as "%s"', (vendor, brand) => {
  expect(brandOf(vendor)).toBe(brand);
});
