import texts from 'messages:signIn';

export function failureText(failure: string): string {
  const failures: Readonly<Record<string, string>> = texts.failures;
  return (Object.hasOwn(failures, failure) ? failures[failure] : texts.failures.invalid) ?? '';
}
