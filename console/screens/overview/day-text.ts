import texts from 'messages:overview';

/** How many devices were online, at least and at most. @param known the counts, at least one */
export function dayText(known: readonly number[]): string {
  const [least, most] = [Math.min(...known), Math.max(...known)];
  return texts.day({ isSteady: least === most, least, most });
}
