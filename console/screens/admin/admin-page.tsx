/** The frame of the screens about all sites: one name, and the way from each to the others. */
import texts from 'messages:admin';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { Scope } from '../../../shared/identity.ts';
import { useRights } from '../../api/rights.ts';
import { Page } from '../../ui/page.tsx';
import styles from './admin.module.css';

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
  /** Of a screen within the tab. */
  title?: string;
  actions?: ReactNode;
  children: ReactNode;
}

export function AdminPage({ tab, title = texts.tabs[tab], actions, children }: Props) {
  const rights = useRights();
  const tabs = (Object.keys(texts.tabs) as AdminTab[]).filter((one) => one === tab || rights.may(SCOPES[one]));
  return (
    <Page title={texts.titleOf({ tab: title })} heading={<h1>{texts.title}</h1>} actions={actions}>
      <nav
        aria-label={texts.navigation}
        className="flex gap-4 border-b border-line overflow-x-auto [scrollbar-width:none]"
      >
        {tabs.map((one) => (
          <Link key={one} href={`/admin/${one}`} aria-current={one === tab ? 'page' : undefined} className={styles.tab}>
            {texts.tabs[one]}
          </Link>
        ))}
      </nav>
      {children}
    </Page>
  );
}
