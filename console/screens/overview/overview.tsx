/** One site at a glance: what needs attention, the last day, numbers, changes and agents. */
import texts from 'messages:overview';
import siteTexts from 'messages:sites';
import { POLL_MS, useAnswer } from '../../api/queries.ts';
import { useRights } from '../../api/rights.ts';
import { useSiteName } from '../../api/site-name.ts';
import { Card, Page } from '../../ui/page.tsx';
import { Answered } from '../../ui/state.tsx';
import { UnreadableNote } from '../../ui/unreadable-note.tsx';
import { ShortChanges } from '../changes/change-rows.tsx';
import { isEverWatched } from '../sites/attention.ts';
import { AgentsCard } from './agents-card.tsx';
import { NeedsAttention } from './attention.tsx';
import { DayCard } from './day-card.tsx';
import { FirstRun } from './first-run/first-run.tsx';
import { RunsCard } from './runs-card.tsx';
import { SiteNumbers } from './site-numbers.tsx';

export default function Overview({ site: id }: { site: string }) {
  const name = useSiteName(id);
  const overview = useAnswer('GET /overview', { site: id });
  const { data: all } = useAnswer('GET /sites', {}, { everyMs: POLL_MS.calm });
  const rights = useRights();
  return (
    <Page title={name}>
      <Answered of={overview}>
        {({ sites: [site], unreadable }) =>
          site === undefined ? (
            <UnreadableNote title={siteTexts.unreadable} entries={unreadable} />
          ) : (
            <>
              <NeedsAttention site={site} />
              {all?.sites.length === 1 ? <FirstRun sites={[site]} /> : null}
              {isEverWatched(site) ? <DayCard site={site} /> : null}
              <SiteNumbers site={site} />
              <div className="grid grid-cols-[minmax(0,2fr)_minmax(280px,1fr)] items-start gap-4 max-900:grid-cols-1">
                <Card title={texts.changed}>
                  <ShortChanges site={id} />
                </Card>
                <div className="grid gap-4 min-w-0">
                  {site.agents.length === 0 ? null : <AgentsCard site={site} mayAdd={rights.may('admin')} />}
                  {rights.may('nettools:run') ? <RunsCard site={id} /> : null}
                </div>
              </div>
            </>
          )
        }
      </Answered>
    </Page>
  );
}
