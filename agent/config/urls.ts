/** URLs that an agent can be told. */
import * as z from 'zod';

export const HttpUrl = z.url({ protocol: /^https?$/, error: 'expected an http:// or https:// URL' });
export const ApiUrl = HttpUrl;
/** Without TLS there would be no client certificate, and the certificate is all that says who the agent is. */
export const BrokerUrl = z.string().refine((text) => MQTTS.test(text) && URL.canParse(text), {
  error: 'expected mqtts://<host> or mqtts://<host>:<port>',
});
const MQTTS = /^mqtts:\/\/(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])(?::[0-9]{1,5})?\/?$/i;
