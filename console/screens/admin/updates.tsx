/** The current release of the agent: its roll-out, and how each site gets it. */
import adminTexts from 'messages:admin';
import { Link } from 'wouter';
import type { AnswerOf } from '../../api/client.ts';
import { usePages } from '../../api/pages.ts';
import { useAnswer } from '../../api/queries.ts';
import { useRights } from '../../api/rights.ts';
import { numberText } from '../../text/format.ts';
import { MoreButton } from '../../ui/more-button.tsx';
import { Card } from '../../ui/page.tsx';
import { Answered, Empty } from '../../ui/state.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { RollOut } from '../site-settings/roll-out.tsx';
import { AdminPage } from './admin-page.tsx';

type Site = AnswerOf<'GET /overview'>['sites'][number];

const texts = adminTexts.updates;

export default function Updates() {
  const updates = useAnswer('GET /updates', {}, { when: useRights().may('devices:read') });
  return (
    <AdminPage tab="updates" needs={adminTexts.agents.needsSites}>
      <div className="grid gap-4 max-w-(--measure)">
        <Answered of={updates}>
          {({ release, rollOut }) =>
            release === null ? (
              <Empty title={texts.noRelease}>
                <p>{texts.noReleaseWhy}</p>
              </Empty>
            ) : (
              <>
                <Card title={`${texts.release} ${release}`}>
                  <p className="text-muted">{rollOut === null ? texts.noRollOut : texts.handedOut}</p>
                  <RollOut />
                </Card>
                <Sites />
              </>
            )
          }
        </Answered>
      </div>
    </AdminPage>
  );
}

function Sites() {
  const sites = usePages('GET /overview', { query: { limit: 200 } });
  const rights = useRights();
  const columns: Column<Site>[] = [
    { heading: texts.site, cell: ({ name }) => <span data-foreign>{name}</span> },
    {
      heading: texts.mode,
      cell: ({ updates: { mode, window } }) =>
        `${texts.modes[mode]} ${window === null || mode !== 'auto' ? '' : texts.window({ from: window.from, to: window.to })}`,
    },
    { heading: texts.behind, cell: ({ agents }) => behindText(agents) },
    ...(rights.may('admin')
      ? [
          {
            heading: texts.change,
            cell: ({ id, name }: Site) => (
              <Link href={`/sites/${id}/settings`} aria-label={`${texts.change}: ${name}`}>
                {texts.change}
              </Link>
            ),
          },
        ]
      : []),
  ];
  return (
    <Answered of={sites}>
      {({ pages }) => (
        <>
          <h2>{texts.sites}</h2>
          <Table
            label={texts.sites}
            columns={columns}
            rows={pages.flatMap((page) => page.sites)}
            keyOf={({ id }) => id}
          />
          <MoreButton of={sites} />
        </>
      )}
    </Answered>
  );
}

function behindText(agents: Site['agents']): string {
  const behind = agents.filter(({ updateAvailable }) => updateAvailable !== null).length;
  return behind === 0 ? texts.current : numberText(behind);
}
