/**
 * Whether IoT Core tells IAM to which thing a certificate is to be attached. The right of the administration to attach
 * certificates is limited by that (`iot:thingArn`), as far as it is told.
 *
 * It is asked with credentials that may attach to one thing and no other, and the thing does not exist: so nothing is
 * changed, and a refusal means that the key was missing.
 */
import * as z from 'zod';
import { clientIdOf } from '../../shared/identity.ts';
import type { Aws } from './aws-cli.ts';
import { type Check, failed, messageOf, passed, unclear } from './checks.ts';
import { stageOf } from './stack.ts';

interface Means {
  aws: Aws;
  region: string;
  stack: string;
}

const Identity = z.object({ Account: z.string().regex(/^\d{12}$/) });
const Federation = z.object({
  Credentials: z.object({ AccessKeyId: z.string(), SecretAccessKey: z.string(), SessionToken: z.string() }),
});
/** The least that AWS gives. */
const LIFETIME_S = 900;
const NO_SUCH_CERTIFICATE = '0'.repeat(64);
const FORBIDDEN = /AccessDenied|Forbidden|Unauthorized|not authorized/i;

export const THING_KEY: Check<Means> = {
  title: 'IoT Core says to which thing a certificate is to be attached (iot:thingArn)',
  timeoutMs: 60_000,
  async run({ aws, region, stack }, signal) {
    const { Account: account } = Identity.parse(await aws(['sts', 'get-caller-identity'], signal));
    const iot = `arn:aws:iot:${region}:${account}`;
    const thing = clientIdOf(stageOf(stack), 'nowhere:nobody');
    const names = ['--thing-name', thing, '--principal', `${iot}:cert/${NO_SUCH_CERTIFICATE}`];
    /** @returns how IoT Core refused it */
    const attach = async (environment?: Record<string, string>) => {
      try {
        await aws(['iot', 'attach-thing-principal', ...names], signal, environment);
        return '';
      } catch (error) {
        return messageOf(error);
      }
    };
    const asOneself = await attach();
    if (FORBIDDEN.test(asOneself)) return unclear('Your own credentials may not attach certificates to things');
    const Statement = {
      Effect: 'Allow',
      Action: 'iot:AttachThingPrincipal',
      Resource: '*',
      Condition: { ArnLike: { 'iot:thingArn': `${iot}:thing/${thing}` } },
    };
    const policy = JSON.stringify({ Version: '2012-10-17', Statement });
    const session = ['--name', 'prove-deployment', '--policy', policy, '--duration-seconds', String(LIFETIME_S)];
    let given: unknown;
    try {
      given = await aws(['sts', 'get-federation-token', ...session], signal);
    } catch (error) {
      return unclear('Only a user of IAM can ask this, not a role', messageOf(error));
    }
    const { Credentials: keys } = Federation.parse(given);
    const limited = await attach({
      AWS_ACCESS_KEY_ID: keys.AccessKeyId,
      AWS_SECRET_ACCESS_KEY: keys.SecretAccessKey,
      AWS_SESSION_TOKEN: keys.SessionToken,
    });
    if (!FORBIDDEN.test(limited)) return passed('The administration can attach certificates to agents alone');
    return failed('The key is not sent: agents enrol all the same, but the administration could attach to any thing');
  },
};
