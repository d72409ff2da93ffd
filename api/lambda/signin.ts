/** `/sign-in` in Lambda. */
import { readConfig, readSignInConfig } from '../context/config.ts';
import { signInGroup } from '../groups/sign-in.ts';
import { signInSettings } from '../people/settings.ts';
import { storedSecret } from '../people/stored-secret.ts';
import { contextInLambda } from './context.ts';
import { serve } from './serve.ts';

const config = readConfig();
const { secretArn, ...values } = readSignInConfig();
const context = contextInLambda(config);
const signIn = signInSettings(values, secretArn === null ? async () => null : storedSecret(secretArn, config.region));

export const handler = serve(signInGroup, {
  ...context,
  settings: { ...context.settings, ...(signIn === null ? {} : { signIn }) },
});
