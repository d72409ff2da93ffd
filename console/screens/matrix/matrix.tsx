/** The checks between sites, as a table from rows to columns. */
import texts from 'messages:matrix';
import { Grid3x3 } from 'lucide-react';
import { useState } from 'react';
import type { AnswerOf } from '../../api/client.ts';
import { POLL_MS, useAnswer } from '../../api/queries.ts';
import { useRights } from '../../api/rights.ts';
import { CHECK_TONES } from '../../checks/check-state.tsx';
import { checkTexts } from '../../checks/check-texts.ts';
import { HopList } from '../../checks/hop-list.tsx';
import { Button, LinkButton } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { Facts } from '../../ui/facts.tsx';
import { CheckGroup, CheckList } from '../../ui/field.tsx';
import { FormDialog, useForm } from '../../ui/form.tsx';
import { Card, Page } from '../../ui/page.tsx';
import { Answered, Empty } from '../../ui/state.tsx';
import { Status } from '../../ui/status.tsx';
import { Time } from '../../ui/time.tsx';
import { showToast } from '../../ui/toast.tsx';
import { UnreadableNote } from '../../ui/unreadable-note.tsx';

type Edge = AnswerOf<'GET /checks/matrix'>['edges'][number];
type Sites = readonly { id: string; name: string }[];

export default function Matrix() {
  const answer = useAnswer('GET /checks/matrix');
  const mayRun = useRights().may('nettools:run');
  const [isAdding, setAdding] = useState(false);
  const [shown, show] = useState<Edge | null>(null);
  const { data: all } = useAnswer('GET /sites', {}, { everyMs: POLL_MS.calm });
  const sites = all?.sites ?? [];
  const nameOf = (id: string) => sites.find((site) => site.id === id)?.name ?? id;
  const addButton =
    mayRun && sites.length > 1 ? (
      <Button look="primary" onClick={() => setAdding(true)} icon={<Grid3x3 />}>
        {texts.add}
      </Button>
    ) : undefined;
  return (
    <Page title={texts.title} actions={addButton}>
      <Answered of={answer}>
        {({ sites: shownSites, edges, unreadable }) => (
          <>
            <UnreadableNote title={texts.unreadable} entries={unreadable} />
            {edges.length === 0 ? (
              <Empty title={texts.none}>
                <p>{sites.length > 1 ? texts.noneWhy : texts.oneSite}</p>
              </Empty>
            ) : (
              <>
                <p className="text-muted max-700:hidden">{texts.intro}</p>
                <EdgeTable sites={shownSites} edges={edges} onShow={show} />
                <EdgeLists sites={shownSites} edges={edges} onShow={show} />
              </>
            )}
          </>
        )}
      </Answered>
      {isAdding ? <AddDialog sites={sites} nameOf={nameOf} onClose={() => setAdding(false)} /> : null}
      {shown === null ? null : <EdgeDialog edge={shown} nameOf={nameOf} onClose={() => show(null)} />}
    </Page>
  );
}

function EdgeTable({ sites, edges, onShow }: { sites: Sites; edges: readonly Edge[]; onShow: (edge: Edge) => void }) {
  return (
    <section
      className="card justify-self-start max-w-full overflow-x-auto max-700:hidden"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: scroll areas must be reachable by keyboard (WCAG 2.1.1)
      tabIndex={0}
      aria-label={texts.table}
    >
      <table
        className={`border-collapse [&_:is(th,td)]:min-w-24 [&_:is(th,td)]:h-11 [&_:is(th,td)]:px-3 [&_:is(th,td)]:py-0.5 [&_:is(th,td)]:border-b [&_:is(th,td)]:border-line [&_:is(th,td)]:text-start [&_:is(th,td)]:align-middle [&_tbody_tr:last-child>*]:border-b-0 [&_th:first-child]:sticky [&_th:first-child]:start-0 [&_th:first-child]:bg-surface [&_th]:max-w-[22ch] [&_th]:wrap-anywhere [&_th]:text-sm [&_th]:font-medium [&_thead_th]:text-muted`}
      >
        <caption className="visually-hidden">{texts.table}</caption>
        <thead>
          <tr>
            <th scope="col">{texts.from}</th>
            {sites.map(({ id, name }) => (
              <th key={id} scope="col" data-foreign>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {sites.map((from) => (
            <tr key={from.id}>
              <th scope="row" data-foreign>
                {from.name}
              </th>
              {sites.map((to) => (
                <td key={to.id}>
                  {from.id === to.id ? (
                    <span className="visually-hidden">{texts.self}</span>
                  ) : (
                    <Cell
                      edge={edges.find((edge) => edge.from === from.id && edge.to === to.id)}
                      from={from.name}
                      to={to.name}
                      onShow={onShow}
                    />
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** For a narrow window. */
function EdgeLists({ sites, edges, onShow }: { sites: Sites; edges: readonly Edge[]; onShow: (edge: Edge) => void }) {
  const nameOf = (id: string) => sites.find((site) => site.id === id)?.name ?? id;
  return (
    <div className="hidden max-700:grid max-700:gap-4">
      {sites.map((from) => {
        const own = edges.filter((edge) => edge.from === from.id);
        if (own.length === 0) return null;
        return (
          <Card key={from.id} title={texts.fromSite({ name: from.name })}>
            <ul>
              {own.map((edge) => (
                <li
                  key={edge.to}
                  className="grid grid-cols-[minmax(0,1fr)_auto] items-center min-h-row wrap-anywhere not-first:border-t not-first:border-line"
                >
                  <span data-foreign>{nameOf(edge.to)}</span>
                  <Cell edge={edge} from={from.name} to={nameOf(edge.to)} onShow={onShow} />
                </li>
              ))}
            </ul>
          </Card>
        );
      })}
    </div>
  );
}

const CELLS = { up: '[&_span]:text-text', down: 'bg-bad-soft', unknown: '' };

interface CellProps {
  edge: Edge | undefined;
  from: string;
  to: string;
  onShow: (edge: Edge) => void;
}

function Cell({ edge, from, to, onShow }: CellProps) {
  if (edge === undefined) {
    return (
      <span className="text-muted" title={texts.notChecked}>
        – <span className="visually-hidden">{texts.notChecked}</span>
      </span>
    );
  }
  const text = textOf(edge);
  return (
    <Button
      look="quiet"
      className={`justify-start w-full font-normal ${CELLS[edge.state]}`}
      aria-label={texts.cell({ from, to, state: text })}
      onClick={() => onShow(edge)}
    >
      <Status tone={CHECK_TONES[edge.state]}>{text}</Status>
    </Button>
  );
}

function textOf({ state, rttMs, lossPercent }: Edge): string {
  if (state !== 'up') return texts[state];
  const loss = lossPercent ? texts.lossText({ percent: checkTexts.percent(lossPercent) }) : '';
  const parts = [rttMs === null ? '' : checkTexts.ms(rttMs), loss].filter((part) => part !== '');
  return parts.join(', ') || checkTexts.states.up;
}

interface DialogProps {
  nameOf: (site: string) => string;
  onClose: () => void;
}

function EdgeDialog({ edge, nameOf, onClose }: DialogProps & { edge: Edge }) {
  const { from, to, check, state, since, rttMs, lossPercent, path } = edge;
  return (
    <Dialog title={texts.way({ from: nameOf(from), to: nameOf(to) })} onClose={onClose}>
      <Facts
        facts={[
          [
            texts.state,
            <Status key="state" tone={CHECK_TONES[state]}>
              {checkTexts.states[state]}
            </Status>,
          ],
          [texts.since, since === null ? '' : <Time key="since" at={since} />],
          [texts.latency, rttMs === null ? '' : checkTexts.ms(rttMs)],
          [texts.loss, lossPercent === null ? '' : checkTexts.percent(lossPercent)],
        ]}
      />
      <h3>{texts.path}</h3>
      <HopList hops={path ?? []} />
      <DialogActions>
        <LinkButton to={`/sites/${from}/checks/${check}`} look="primary">
          {texts.toCheck}
        </LinkButton>
      </DialogActions>
    </Dialog>
  );
}

function AddDialog({ sites, nameOf, onClose }: DialogProps & { sites: Sites }) {
  const form = useForm({
    route: 'POST /checks/matrix',
    first: { sites: [] as readonly string[] },
    body: ({ sites: chosen }) => ({ sites: [...chosen] }),
    onDone({ added, unreachable }) {
      const left =
        unreachable.length === 0 ? '' : ` ${texts.unreachable({ names: unreachable.map(nameOf).join(', ') })}`;
      showToast(`${texts.added({ count: added })}${left}`);
      onClose();
    },
  });
  return (
    <FormDialog
      form={form}
      title={texts.addTitle}
      submit={texts.add}
      isReady={form.values.sites.length > 1}
      onClose={onClose}
    >
      <p>{texts.addWhat}</p>
      <CheckGroup label={texts.sites} hint={texts.sitesMissing}>
        <CheckList
          options={sites.map(({ id }) => id)}
          {...form.list('sites')}
          labelOf={(id) => <span data-foreign>{nameOf(id)}</span>}
        />
      </CheckGroup>
    </FormDialog>
  );
}
