/** The tools that can be run on a site, by what they are for. */
import { Link } from 'wouter';
import { NeedsNettools } from '../../commands/needs-nettools.tsx';
import { commandTexts } from '../../commands/texts.ts';
import { iconOf, TOOLS_IN_ORDER } from '../../commands/tool-icons.ts';
import { LinkButton } from '../../ui/button.tsx';
import { Page } from '../../ui/page.tsx';
import { texts as runTexts } from '../runs/texts.ts';
import { AgentWarning } from './agents.tsx';
import { LastResult, useLastJobs } from './last-results.tsx';
import { texts } from './texts.ts';
import styles from './tools.module.css';

export default function Tools({ site }: { site: string }) {
  return (
    <NeedsNettools title={texts.title}>
      <Page title={texts.title} actions={<LinkButton to={`/sites/${site}/runs`}>{runTexts.toList}</LinkButton>}>
        <p className="muted">{texts.hint}</p>
        <AgentWarning site={site} programs={[]} />
        <Cards site={site} />
      </Page>
    </NeedsNettools>
  );
}

function Cards({ site }: { site: string }) {
  const last = useLastJobs(site);
  return (
    <ul className={styles.cards} aria-label={texts.choose}>
      {TOOLS_IN_ORDER.map((name) => {
        const Icon = iconOf(name);
        return (
          <li key={name}>
            <Link href={`/sites/${site}/tools/${name}`} className={styles.card}>
              <span className={styles.tile}>
                <Icon aria-hidden="true" />
              </span>
              <span className={styles.words}>
                <span className={styles.name}>
                  <strong>{commandTexts.tools[name]}</strong> <code>{name}</code>
                </span>
                <span>{commandTexts.purposes[name]}</span>
                <span className={styles.last}>
                  <LastResult job={last.get(name)} />
                </span>
              </span>
            </Link>
          </li>
        );
      })}
    </ul>
  );
}
