import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runAction } from './soap.ts';
import { SourceFailure } from './source.ts';

const CONTROL = { url: new URL('http://box/control'), service: 'urn:x:Hosts:1' };
const run = (body: string) =>
  runAction(async () => ({ status: 200, headers: {}, cookies: [], body }), CONTROL, 'GetName');
const escaped = (text: string) => text.replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`);
const answer = (content: string) =>
  `<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body><u:GetNameResponse xmlns:u="x">${content}</u:GetNameResponse></s:Body></s:Envelope>\n`;

test('any text comes back as it was; a cut answer is a failure, wherever it is cut', async () => {
  const texts = fc.string({ minLength: 1 }).filter((text) => /^[\t\x20-\x7e]+$/.test(text) && text.trim() === text);
  await fc.assert(
    fc.asyncProperty(texts, fc.nat(), async (text, at) => {
      const body = answer(`<NewName>${escaped(text)}</NewName><NewEmpty></NewEmpty>`);
      expect(await run(body)).toEqual({ NewName: text, NewEmpty: '' });
      await expect(run(body.slice(0, at % (body.length - 1)))).rejects.toBeInstanceOf(SourceFailure);
    }),
  );
});

test('anything else is a failure, a DTD too', async () => {
  const dtd = `<!DOCTYPE x [<!ENTITY a "${'b'.repeat(99)}">]>${answer('<NewName>&a;</NewName>')}`;
  await expect(run(dtd)).rejects.toThrow('complete XML');
  await expect(run(answer('').replaceAll('GetName', 'GetOther'))).rejects.toThrow('did not answer GetName');
  await fc.assert(
    fc.asyncProperty(fc.string(), async (text) => {
      await expect(run(`${text}</s:Envelope>`)).rejects.toBeInstanceOf(SourceFailure);
    }),
  );
});
