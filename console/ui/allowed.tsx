/** A screen for tokens with a scope: nothing until their scopes are loaded, and why others do not see it. */
import type { ReactNode } from 'react';
import type { Scope } from '../../shared/identity.ts';
import { useRights } from '../api/rights.ts';
import { Page } from './page.tsx';
import { Empty } from './state.tsx';

interface Props {
  scope: Scope;
  title: string;
  /** Shown without the scope. */
  needs: string;
  children: ReactNode;
}

export function Allowed({ scope, title, needs, children }: Props) {
  const { tokenId, may } = useRights();
  if (tokenId === '') return null;
  if (may(scope)) return children;
  return (
    <Page title={title}>
      <Empty title={needs} />
    </Page>
  );
}
