/** Content for tokens with the scope `nettools:run`; without it, the page sends no requests and shows the reason. */
import commandTexts from 'messages:commands';
import common from 'messages:common';
import type { ReactNode } from 'react';
import { useRights } from '../api/rights.ts';
import { Page } from '../ui/page.tsx';
import { Empty } from '../ui/state.tsx';

export function NeedsNettools({ title, children }: { title: string; children: ReactNode }) {
  const rights = useRights();
  if (rights.may('nettools:run')) return children;
  return (
    <Page title={title}>
      {rights.tokenId === '' ? (
        <div role="status">{common.loading}</div>
      ) : (
        <Empty title={commandTexts.notAllowed}>
          <p>{commandTexts.notAllowedHint}</p>
        </Empty>
      )}
    </Page>
  );
}
