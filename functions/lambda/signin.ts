/** `/sign-in` in Lambda. */

import { signInSettings } from '../access/people/settings.ts';
import { storedSecret } from '../access/people/stored-secret.ts';
import { readConfig, readSignInConfig } from '../config.ts';
import { signInGroup } from '../groups/sign-in.ts';
import { people, signIns } from '../store-openers.ts';
import { contextInLambda } from './context.ts';
import { serve } from './serve.ts';

const config = readConfig();
const { secretArn, ...values } = readSignInConfig();
const context = contextInLambda(config, { people, signIns });
const signIn = signInSettings(values, secretArn === null ? async () => null : storedSecret(secretArn, config.region));

export const handler = serve(signInGroup, {
  ...context,
  settings: { ...context.settings, ...(signIn === null ? {} : { signIn }) },
});
