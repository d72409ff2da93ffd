import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TOOL, TOOLS, type Tool } from '../../../shared/tools/list.ts';
import { checkForm, type FormValues, filledValues, formOf, type ToolForm } from './form-fields.ts';

function form(tool: Tool): ToolForm {
  const found = formOf(tool);
  if (found === null) throw new Error(`no form for ${tool}`);
  return found;
}

const query = (text: string) => new URLSearchParams(text);

test.each(TOOLS)('%s: the form takes the example of the tool, and sends it as it is', (tool) => {
  const { request } = TOOL[tool].example;
  const values = Object.fromEntries(Object.entries(request as object).map(([name, value]) => [name, String(value)]));
  const filled = filledValues(form(tool), new URLSearchParams(values));
  expect(checkForm(form(tool), filled)).toEqual({ body: request, errors: null });
});

test.each([
  ['00:1e:06:aa:bb:01', { devMac: '00:1E:06:AA:BB:01' }],
  ['192.168.1.20', { devLastIP: '192.168.1.20' }],
  ['nas', { devName: 'nas' }],
])('a wake has one field for the device: %s is sent as %j', (device, body) => {
  expect(form('wakeonlan').fields.map(({ name, kind }) => [name, kind])).toEqual([
    ['device', 'device'],
    ['verify', 'switch'],
  ]);
  const sent = checkForm(form('wakeonlan'), { device, verify: 'true' }).body;
  expect(form('wakeonlan').schema.parse(sent)).toEqual({ ...form('wakeonlan').schema.parse(body), verify: true });
});

test.each<[Tool, FormValues, FormValues]>([
  ['nmap', { scan: '', mode: 'fast' }, { scan: expect.stringContaining('expected an IP address') }],
  ['nmap', { scan: '10.0.0.0/33', mode: 'fast' }, { scan: expect.stringContaining('in CIDR notation') }],
  ['traceroute', { devLastIP: 'router' }, { devLastIP: 'expected the IPv4 or IPv6 address of one host' }],
  ['nslookup', { devLastIP: 'a..b' }, { devLastIP: 'expected an IP address or a host name' }],
  ['wakeonlan', {}, { device: expect.stringContaining('expected exactly one of devMac, devName, devLastIP') }],
])('%s refuses %j by the schema of the API', (tool, values, errors) => {
  expect(checkForm(form(tool), values)).toEqual({ body: null, errors });
});

test('blanks around a pasted value do no harm; an empty switch is not sent', () => {
  const values = { device: ' 00:1E:06:AA:BB:01\t', verify: '' };
  expect(checkForm(form('wakeonlan'), values).body).toEqual({ devMac: '00:1E:06:AA:BB:01' });
  expect(checkForm(form('wakeonlan'), { ...values, verify: 'true' }).body).toMatchObject({ verify: true });
});

test('an address fills in the form, by the names of the command or of the body', () => {
  const filled = { scan: '192.168.1.20', mode: 'fast', protocol: '' };
  expect(filledValues(form('nmap'), query('target=192.168.1.20&mode=fast'))).toEqual(filled);
  expect(filledValues(form('nmap'), query('scan=192.168.1.20&mode=fast&other=1'))).toEqual(filled);
  expect(filledValues(form('nmap'), query('target=192.168.1.20&mode=-A'))).toEqual({ ...filled, mode: 'normal' });
  expect(filledValues(form('traceroute'), query('target=10.0.0.1'))).toEqual({ devLastIP: '10.0.0.1' });
});

test('the command of a wake, with the address beside the MAC, fills in a request that can be sent', () => {
  const values = filledValues(form('wakeonlan'), query('mac=00:1E:06:AA:BB:01&verify=true&ip=192.168.1.20'));
  expect(checkForm(form('wakeonlan'), values)).toEqual({
    body: { devMac: '00:1E:06:AA:BB:01', verify: true },
    errors: null,
  });
});

test('whatever is typed or stands in an address, there is a body to send or a field to correct', () => {
  const text = fc.oneof(fc.string(), fc.ipV4(), fc.ipV6(), fc.domain(), fc.constant('00:1e:06:aa:bb:01'));
  fc.assert(
    fc.property(fc.constantFrom(...TOOLS), fc.array(text, { minLength: 4, maxLength: 4 }), (tool, typed) => {
      const made = form(tool);
      const address = new URLSearchParams(made.fields.map(({ argument }, i) => [argument, typed[i] ?? '']));
      const { body, errors } = checkForm(made, filledValues(made, address));
      if (body === null) {
        const names = made.fields.map(({ name }) => name);
        expect(Object.keys(errors).every((name) => names.includes(name))).toBe(true);
        expect(Object.keys(errors).length).toBeGreaterThan(0);
      } else expect(made.schema.safeParse(body).success).toBe(true);
    }),
  );
});

test.each(['', 'ping', '__proto__', 'constructor', 'toString'])('there is no form for %j', (name) =>
  expect(formOf(name)).toBeNull(),
);
