/**
 * The parts of an ARIA grid. They are no table elements, because rows that are not in sight do not exist, and those that
 * do stand where they would be.
 */
import type { HTMLAttributes, Ref } from 'react';

interface Props extends HTMLAttributes<HTMLDivElement> {
  role: 'grid' | 'rowgroup' | 'row' | 'columnheader' | 'gridcell';
  ref?: Ref<HTMLDivElement>;
  'data-index'?: number;
  'data-does'?: string;
  'data-field'?: string | undefined;
  'data-active'?: boolean | undefined;
}

export function GridPart({ role, ...rest }: Props) {
  return <div role={role} {...rest} />;
}
