import texts from 'messages:signIn';

/** Why signing in with the provider failed. @param failure a word of the API */
export function failureText(failure: string): string {
  const failures: Readonly<Record<string, string>> = texts.failures;
  return (Object.hasOwn(failures, failure) ? failures[failure] : texts.failures.invalid) ?? '';
}
