/** The parts of an ARIA grid: not table elements, because only visible rows are rendered, at absolute positions. */
import type { HTMLAttributes, Ref } from 'react';

interface Props extends HTMLAttributes<HTMLDivElement> {
  role: 'grid' | 'rowgroup' | 'row' | 'columnheader' | 'gridcell';
  ref?: Ref<HTMLDivElement>;
  'data-index'?: number;
  'data-does'?: string;
  'data-active'?: boolean | undefined;
}

export function GridPart({ role, ...rest }: Props) {
  return <div role={role} {...rest} />;
}
