import { expect, test } from 'vitest';
import { signedAddress } from './signed-address.ts';

const BUCKET = { origin: 'https://examplebucket.s3.amazonaws.com', region: 'us-east-1' };
const KEYS = { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY' };
const WHEN = { at: new Date('2013-05-24T00:00:00Z'), validS: 86_400 };

test('an address is the one that the documentation of S3 has for this file, key and time', async () => {
  // https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html
  const { origin, pathname, searchParams } = new URL(
    await signedAddress(BUCKET, 'test.txt', { ...KEYS, sessionToken: null }, WHEN),
  );
  expect([origin, pathname]).toEqual([BUCKET.origin, '/test.txt']);
  expect(Object.fromEntries(searchParams)).toEqual({
    'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
    'X-Amz-Credential': 'AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request',
    'X-Amz-Date': '20130524T000000Z',
    'X-Amz-Expires': '86400',
    'X-Amz-SignedHeaders': 'host',
    'X-Amz-Signature': 'aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404',
  });
});

test('the token of a session is signed along', async () => {
  const [with_, without] = await Promise.all(
    ['session', null].map((sessionToken) => signedAddress(BUCKET, 'test.txt', { ...KEYS, sessionToken }, WHEN)),
  ).then((addresses) => addresses.map((address) => new URL(address).searchParams));
  expect(with_?.get('X-Amz-Security-Token')).toBe('session');
  expect(with_?.get('X-Amz-Signature')).not.toBe(without?.get('X-Amz-Signature'));
});
