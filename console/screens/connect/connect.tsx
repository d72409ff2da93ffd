/** Approves or denies an assistant or a command line that acts for the signed-in user. */
import texts from 'messages:connect';
import siteTexts from 'messages:siteChoice';
import tokenTexts from 'messages:tokens';
import { Bot, SquareTerminal, TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import type { Scope } from '../../../shared/identity.ts';
import { type AnswerOf, ask } from '../../api/client.ts';
import { problemOf } from '../../api/problem.ts';
import { useAnswer } from '../../api/queries.ts';
import { useRights } from '../../api/rights.ts';
import type { Selection } from '../../api/selection.ts';
import { Button } from '../../ui/button.tsx';
import { CheckGroup, CheckList } from '../../ui/field.tsx';
import { Card, Page } from '../../ui/page.tsx';
import { SitesField } from '../../ui/sites-field.tsx';
import { Answered, Empty, ProblemBox } from '../../ui/state.tsx';

type Request = AnswerOf<'GET /oauth/requests/{id}'>;
type Own = AnswerOf<'GET /tokens/self'>;

export default function Connect({ id }: { id: string }) {
  const [isLeaving, setLeaving] = useState(false);
  const request = useAnswer('GET /oauth/requests/{id}', { params: { id } }, { everyMs: 0, when: !isLeaving });
  const { data: own } = useAnswer('GET /tokens/self');
  function leave(redirectTo: string): void {
    setLeaving(true);
    window.location.assign(redirectTo);
  }
  const isGone = request.error !== null && problemOf(request.error).code === 'not_found';
  const name = request.data?.client.name;
  return (
    <Page title={isLeaving || isGone || name === undefined ? texts.title : texts.titleOf({ name })}>
      {isLeaving ? (
        <p role="status">{texts.leaving}</p>
      ) : isGone ? (
        <Empty title={texts.gone}>
          <p>{texts.goneWhy}</p>
        </Empty>
      ) : (
        <div className="grid gap-4 max-w-150">
          <Answered of={request}>
            {(data) => (own === undefined ? null : <Consent id={id} request={data} own={own} onAnswered={leave} />)}
          </Answered>
        </div>
      )}
    </Page>
  );
}

interface ConsentProps {
  id: string;
  request: Request;
  own: Own;
  onAnswered: (redirectTo: string) => void;
}

function Consent({ id, request, own, onAnswered }: ConsentProps) {
  const { kind, client, sourceAddress } = request;
  const rights = useRights();
  const offered = request.scopes.filter((scope) => rights.may(scope));
  const refused = request.scopes.filter((scope) => !rights.may(scope));
  // Not the chosen ones: the rights of the user arrive after the request.
  const [withheld, setWithheld] = useState<readonly Scope[]>([]);
  const scopes = offered.filter((scope) => !withheld.includes(scope));
  const [sites, setSites] = useState<Selection>(own.sites);
  const [isTried, setTried] = useState(false);
  const [isPending, setPending] = useState(false);
  const [problem, setProblem] = useState<unknown>(null);
  const Icon = kind === 'assistant' ? Bot : SquareTerminal;
  const lacksSites = sites !== '*' && sites.length === 0;

  async function answer(what: 'allowed' | 'denied'): Promise<void> {
    if (what === 'allowed') {
      setTried(true);
      if (scopes.length === 0 || lacksSites) return;
    }
    setPending(true);
    setProblem(null);
    try {
      const params = { id };
      const body = { scopes: [...scopes], sites: sites === '*' ? sites : [...sites] };
      const { redirectTo } =
        what === 'allowed'
          ? await ask('POST /oauth/requests/{id}/approve', { params, body })
          : await ask('POST /oauth/requests/{id}/deny', { params });
      onAnswered(redirectTo);
    } catch (error) {
      setProblem(error);
      setPending(false);
    }
  }

  return (
    <Card>
      <div className="flex gap-3 [&_h2]:text-muted [&_h2]:font-normal">
        <span className="grid flex-none place-items-center size-11 rounded-card bg-accent-soft text-accent">
          <Icon aria-hidden="true" />
        </span>
        <div>
          <h2>{texts.kinds[kind]}</h2>
          <ul className="text-muted wrap-anywhere [&_strong]:text-text [&_strong]:text-lg [&_strong]:font-semibold">
            <li title={texts.nameWarning}>
              <strong data-foreign>{client.name}</strong>
            </li>
            <li data-foreign>{texts.leadsTo({ host: client.redirectHost })}</li>
            {sourceAddress === null ? null : <li data-foreign>{texts.from({ address: sourceAddress })}</li>}
          </ul>
        </div>
      </div>
      <p className="flex gap-2 px-3 py-2 rounded-control bg-warn-soft text-sm [&_svg]:flex-none [&_svg]:size-4 [&_svg]:mt-0.5 [&_svg]:text-warn">
        <TriangleAlert aria-hidden="true" />
        <span>{texts.warning[kind]}</span>
      </p>
      <CheckGroup label={texts.may} error={isTried && scopes.length === 0 ? texts.mayMissing : undefined}>
        <CheckList
          options={offered}
          value={scopes}
          onChange={(chosen) => setWithheld(offered.filter((scope) => !chosen.includes(scope)))}
          labelOf={(scope) => tokenTexts.scopes[scope]}
        />
        {refused.length === 0 ? null : (
          <p className="text-muted">
            {offered.length === 0
              ? texts.nothing
              : texts.mayNot({ scopes: refused.map((scope) => `“${tokenTexts.scopes[scope]}”`).join(', ') })}
          </p>
        )}
      </CheckGroup>
      <SitesField
        label={texts.where}
        value={sites}
        most={own.sites}
        error={isTried && lacksSites ? siteTexts.missing : undefined}
        onChange={setSites}
      />
      <p className="text-muted">{texts.ends}</p>
      {problem === null ? null : <ProblemBox error={problem} />}
      <div className="flex flex-wrap gap-2">
        <Button look="primary" disabled={isPending || offered.length === 0} onClick={() => void answer('allowed')}>
          {texts.allow}
        </Button>
        <Button disabled={isPending} onClick={() => void answer('denied')}>
          {texts.deny}
        </Button>
      </div>
    </Card>
  );
}
