/** The frame of the screens about all sites: one name, and the way from each to the others. */
import texts from 'messages:admin';
import type { ReactNode } from 'react';
import type { Scope } from '../../../shared/identity.ts';
import { useRights } from '../../api/rights.ts';
import { Page } from '../../ui/page.tsx';
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
  /** The one that is shown. */
  tab: AdminTab;
  actions?: ReactNode;
  children: ReactNode;
}

export function AdminPage({ tab, actions, children }: Props) {
  const rights = useRights();
  const tabs = (Object.keys(texts.tabs) as AdminTab[]).filter((one) => one === tab || rights.may(SCOPES[one]));
  return (
    <Page title={texts.titleOf({ tab: texts.tabs[tab] })} heading={<h1>{texts.title}</h1>} actions={actions}>
      <TabLinks
        label={texts.navigation}
        tabs={tabs.map((one) => ({ to: `/admin/${one}`, label: texts.tabs[one] }))}
        current={`/admin/${tab}`}
      />
      {children}
    </Page>
  );
}
