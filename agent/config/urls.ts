/** Schemas for the URLs in the agent's settings. */
import * as z from 'zod';

export const HttpUrl = z.url({ protocol: /^https?$/, error: 'expected an http:// or https:// URL' });
export const ApiUrl = HttpUrl;
/** TLS is required because the client certificate is the only proof of the agent's identity. */
export const BrokerUrl = z.string().refine((text) => MQTTS.test(text) && URL.canParse(text), {
  error: 'expected mqtts://<host> or mqtts://<host>:<port>',
});
const MQTTS = /^mqtts:\/\/(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])(?::[0-9]{1,5})?\/?$/i;

/** Whether a broker is AWS IoT Core, by its host name. */
export function isIotCore(host: string): boolean {
  return /\.iot\.[a-z0-9-]+\.amazonaws\.com(?:\.cn)?$/.test(host);
}
