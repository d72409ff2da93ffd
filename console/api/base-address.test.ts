import { expect, test } from 'vitest';
import { addressesToOffer } from './base-address.ts';

const LAN = ['http://192.168.1.5:8787', 'http://10.8.0.2:8787'];

test('an address that works for other hosts is the only offer', () => {
  expect(addressesToOffer('https://lan.example.com/api', LAN)).toEqual(['https://lan.example.com/api']);
  expect(addressesToOffer('http://10.8.0.2:8787', LAN)).toEqual(['http://10.8.0.2:8787']);
});

test('on this host, the addresses of the service come first, and without any the present one stays', () => {
  const present = 'http://127.0.0.1:8787';
  expect(addressesToOffer(present, LAN)).toEqual([...LAN, present]);
  expect(addressesToOffer(present, [])).toEqual([present]);
});
