import fc from 'fast-check';
import { expect, test } from 'vitest';
import * as bundled from './fetch.ts';

/** Of what the platform offers, the stand-ins have a part; the tests use that part of both. */
const standIn = bundled as unknown as Pick<typeof globalThis, 'Headers' | 'Request' | 'Response'>;

/** What both say of the same thing: a result, or that they refuse it. */
function outcome(act: () => unknown): unknown {
  try {
    return act();
  } catch (error) {
    return error instanceof TypeError ? 'refused' : error;
  }
}

const name = fc.oneof(fc.constantFrom('Vary', 'vary', 'X-Request-Id', 'Location', 'ETag'), fc.string({ maxLength: 8 }));
const value = fc.oneof(fc.constantFrom('a', ' b\t', 'c\r\nd', 'e\0', 'é', '€', ''), fc.string({ unit: 'binary' }));
const status = fc.constantFrom(200, 201, 400, 404, 503);
const headers = fc.array(fc.tuple(name, value), { maxLength: 4 });
const wellFormed = fc.array(
  fc.tuple(fc.constantFrom('Vary', 'vary', 'ETag', 'content-type'), fc.constantFrom('a', 'b')),
);
const body = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.uint8Array().map((bytes) => new Uint8Array(bytes)),
);

test('headers are kept, joined, listed and refused as by those of the platform', () => {
  const all = (kind: typeof Headers, list: [string, string][]) => {
    const made = new kind(list);
    return [[...made], [...made.entries()], list.map(([each]) => [made.get(each), made.has(each)])];
  };
  fc.assert(
    fc.property(headers, (list) => {
      expect(outcome(() => all(standIn.Headers, list))).toEqual(outcome(() => all(Headers, list)));
    }),
  );
});

test('headers are set, deleted and listed as by those of the platform, also from a record', () => {
  fc.assert(
    fc.property(wellFormed, fc.string({ unit: 'binary' }), (list, text) => {
      const [ours, theirs] = [standIn.Headers, Headers].map((kind) => {
        const made = new kind(Object.fromEntries(list));
        made.delete('VARY');
        const refusal = outcome(() => made.set('ETag', text));
        const listed: string[] = [];
        new kind(made).forEach((each, title) => void listed.push(`${title}: ${each}`));
        return { refusal, listed };
      });
      expect(ours).toEqual(theirs);
    }),
  );
});

test('a response has the status, headers and body of the one of the platform, also a copy of it', async () => {
  await fc.assert(
    fc.asyncProperty(body, status, wellFormed, async (content, code, list) => {
      const read = async (kind: typeof Response) => {
        const made = () => new kind(content, { status: code, headers: list });
        const copy = new kind(made().body, made());
        return [copy.status, [...copy.headers], await copy.text(), Buffer.from(await made().arrayBuffer())];
      };
      expect(await read(standIn.Response)).toEqual(await read(Response));
    }),
  );
  expect(new standIn.Response(null, { status: 204 }).body).toBe(null);
});

test('a request has the address, method, headers and body of the one of the platform, also a copy of it', async () => {
  const url = fc.webUrl({ withQueryParameters: true });
  await fc.assert(
    fc.asyncProperty(url, body, wellFormed, async (address, content, list) => {
      const read = async (kind: typeof Request) => {
        const made = new kind(address, { method: 'POST', body: content, headers: [['content-type', 'x'], ...list] });
        const { url, method, headers } = new kind(new URL('http://other/'), made);
        const again = new kind(address, { method: 'POST', body: content });
        return [made.url, url, method, [...headers], Buffer.from(await again.arrayBuffer())];
      };
      expect(await read(standIn.Request)).toEqual(await read(Request));
    }),
  );
  const plain = { method: 'GET', body: null, signal: { aborted: false } };
  expect(new standIn.Request('http://host/path')).toMatchObject(plain);
});

test('a body that is a stream arrives as it was', async () => {
  const pieces = ['one, ', 'two'].map((text) => new TextEncoder().encode(text));
  const stream = ReadableStream.from(pieces);
  expect(await new standIn.Response(stream).text()).toBe('one, two');
});
