/** The frame of the screens about all sites, with tabs. Empty until the scopes of the token are loaded. */
import texts from 'messages:admin';
import type { ReactNode } from 'react';
import type { Scope } from '../../../shared/identity.ts';
import { useRights } from '../../api/rights.ts';
import { Page } from '../../ui/page.tsx';
import { Empty } from '../../ui/state.tsx';
import { TabLinks } from '../../ui/tab-links.tsx';

type AdminTab = keyof typeof texts.tabs;

const SCOPES: Readonly<Record<AdminTab, Scope>> = {
  people: 'admin',
  tokens: 'admin',
  templates: 'admin',
  agents: 'nettools:run',
  updates: 'devices:read',
  audit: 'admin',
};

interface Props {
  tab: AdminTab;
  /** Shown without the scope of the tab. */
  needs: string;
  actions?: ReactNode;
  children: ReactNode;
}

export function AdminPage({ tab, needs, actions, children }: Props) {
  const rights = useRights();
  if (rights.tokenId === '') return null;
  const isAllowed = rights.may(SCOPES[tab]);
  const tabs = (Object.keys(texts.tabs) as AdminTab[]).filter((one) => one === tab || rights.may(SCOPES[one]));
  return (
    <Page
      title={texts.titleOf({ tab: texts.tabs[tab] })}
      heading={<h1>{texts.tabs[tab]}</h1>}
      actions={isAllowed ? actions : undefined}
    >
      <TabLinks
        label={texts.navigation}
        tabs={tabs.map((one) => ({ to: `/admin/${one}`, label: texts.tabs[one] }))}
        current={`/admin/${tab}`}
      />
      {isAllowed ? children : <Empty title={needs} />}
    </Page>
  );
}
