import texts from 'messages:device';

/** What a field holds now that another person has changed it. */
export function nowIs(value: string): string {
  return value === '' ? texts.nowEmpty : texts.nowIs({ value });
}
