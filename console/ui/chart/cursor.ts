/** The moment under the pointer, shared by all charts of a time span. */
import { useMemo, useState } from 'react';

export interface Cursor {
  /** Unix, ms; null for none. */
  time: number | null;
  point: (time: number | null) => void;
}

export function useCursor(): Cursor {
  const [time, point] = useState<number | null>(null);
  return useMemo(() => ({ time, point }), [time]);
}
