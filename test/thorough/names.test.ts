/** Names from name servers, which stand on loopback here. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { type FoundName, findNames } from '../../agent/discovery/names.ts';

/** A device that says nothing itself. */
const IP = '127.0.0.77';

/** A name server that knows this name for every address, or none; or says nothing at all. */
async function nameServer(knows: string | null | 'silent') {
  const socket = createSocket('udp4');
  let asked = 0;
  socket.on('message', (question, from) => {
    asked++;
    if (knows !== 'silent') socket.send(answer(question, knows), from.port, from.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    address: `127.0.0.1:${socket.address().port}`,
    asked: () => asked,
    async [Symbol.asyncDispose]() {
      socket.close();
      await once(socket, 'close');
    },
  };
}

/** RFC 1035 section 4.1: the question again, and one PTR record, or that there is no such name. */
function answer(question: Buffer, name: string | null): Buffer {
  const end = question.indexOf(0, 12) + 5;
  const header = [0x81, name === null ? 0x83 : 0x80, 0, 1, 0, name === null ? 0 : 1, 0, 0, 0, 0];
  const echoed = Buffer.concat([question.subarray(0, 2), Buffer.from(header), question.subarray(12, end)]);
  if (name === null) return echoed;
  const labels = name.split('.').map((label) => Buffer.from([label.length, ...Buffer.from(label)]));
  const target = Buffer.concat([...labels, Buffer.from([0])]);
  return Buffer.concat([echoed, Buffer.from([0xc0, 12, 0, 12, 0, 1, 0, 0, 0, 60, 0, target.length]), target]);
}

async function nameOf(ip: string, servers: string[]): Promise<FoundName | undefined> {
  const found = new Map<string, FoundName>();
  await findNames([{ ip, servers }], new AbortController().signal, (of, name) => found.set(of, name));
  return found.get(ip);
}

test.concurrent('what the first name server knows is not asked for elsewhere', async () => {
  await using router = await nameServer('nas.lan');
  await using other = await nameServer('other.example');
  expect(await nameOf(IP, [router.address, other.address])).toEqual({
    name: { text: 'nas.lan', source: 'dns' },
    dnsKnowsNone: false,
  });
  expect(other.asked()).toBe(0);
});

test.concurrent('the next one is asked where the first is silent or has no name', async () => {
  await using silent = await nameServer('silent');
  await using ignorant = await nameServer(null);
  await using other = await nameServer('nas.lan');
  for (const first of [silent, ignorant]) {
    expect((await nameOf(IP, [first.address, other.address]))?.name?.text).toBe('nas.lan');
  }
});

test.concurrent('that there is no name is certain only when all name servers say so', async () => {
  await using ignorant = await nameServer(null);
  await using silent = await nameServer('silent');
  expect(await nameOf(IP, [ignorant.address])).toEqual({ name: null, dnsKnowsNone: true });
  expect(await nameOf(IP, [silent.address, ignorant.address])).toEqual({ name: null, dnsKnowsNone: false });
  expect(await nameOf(IP, [])).toEqual({ name: null, dnsKnowsNone: false });
});
