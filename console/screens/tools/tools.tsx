/** The tools that can be run on a site. */
import { Link } from 'wouter';
import { TOOL } from '../../../shared/tools/list.ts';
import { NeedsNettools } from '../../commands/needs-nettools.tsx';
import { Page } from '../../ui/page.tsx';
import { AgentWarning } from './agents.tsx';
import { texts } from './texts.ts';
import { iconOf, TOOLS_IN_ORDER } from './tool-icons.ts';
import { descriptionOf } from './tool-texts.ts';
import styles from './tools.module.css';

export default function Tools({ site }: { site: string }) {
  return (
    <NeedsNettools title={texts.title}>
      <Page title={texts.title}>
        <p className={styles.muted}>{texts.hint}</p>
        <AgentWarning site={site} programs={[]} />
        <ul className={styles.cards} aria-label={texts.choose}>
          {TOOLS_IN_ORDER.map((name) => {
            const Icon = iconOf(name);
            return (
              <li key={name}>
                <Link href={`/sites/${site}/tools/${name}`} className={styles.card}>
                  <Icon aria-hidden="true" />
                  <span>
                    <strong>{name}</strong>
                    <span className={styles.muted}>{descriptionOf(TOOL[name])}</span>
                  </span>
                </Link>
              </li>
            );
          })}
        </ul>
      </Page>
    </NeedsNettools>
  );
}
