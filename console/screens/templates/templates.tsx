/** The templates: settings, schedules, checks and notifications for all sites with a tag. */
import texts from 'messages:templates';
import { LayoutTemplate, Plus } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'wouter';
import { valuesOf } from '../../../shared/api/template-settings.ts';
import type { Template } from '../../../shared/api/templates.ts';
import { useAnswer } from '../../api/queries.ts';
import { useRights } from '../../api/rights.ts';
import { Button } from '../../ui/button.tsx';
import { List } from '../../ui/list.tsx';
import type { Column } from '../../ui/table.tsx';
import { TagList } from '../../ui/tags-field.tsx';
import { Time } from '../../ui/time.tsx';
import { AdminPage } from '../admin/admin-page.tsx';
import { TemplateForm } from './template-form.tsx';

export default function Templates() {
  const list = useAnswer('GET /templates', {}, { when: useRights().may('admin') });
  const [isMaking, setMaking] = useState(false);
  const make = (
    <Button look="primary" onClick={() => setMaking(true)} icon={<Plus />}>
      {texts.make}
    </Button>
  );
  return (
    <AdminPage tab="templates" needs={texts.needs} actions={make}>
      <p className="text-muted">{texts.intro}</p>
      <List
        of={list}
        pages={list.data && [list.data]}
        rows={({ templates }) => templates}
        keyOf={({ name }) => name}
        label={texts.list}
        columns={COLUMNS}
        empty={{ title: texts.none, hint: texts.noneWhy, icon: LayoutTemplate }}
        unreadable={texts.unreadable}
      />
      {isMaking ? (
        <TemplateForm taken={list.data?.templates.map(({ name }) => name) ?? []} onClose={() => setMaking(false)} />
      ) : null}
    </AdminPage>
  );
}

const COLUMNS: Column<Template>[] = [
  {
    heading: texts.name,
    cell: ({ name }) => (
      <div className="grid min-w-[14ch] [&_a]:font-[550] [&_a]:text-text [&_a]:no-underline [&_a:hover]:underline">
        <Link href={`/admin/templates/${name}`} data-foreign>
          {name}
        </Link>
      </div>
    ),
  },
  { heading: texts.tags, cell: ({ tags }) => <TagList tags={tags} /> },
  { heading: texts.parts, cell: (template) => partsText(template) },
  { heading: texts.changed, cell: ({ changedAt }) => <Time at={changedAt} /> },
];

function partsText({ settings, schedules, checks, hooks }: Template): string {
  const { count } = texts;
  const counts = [
    [Object.keys(valuesOf(settings)).length, count.settings],
    [schedules.length, count.schedules],
    [checks.length, count.checks],
    [hooks.length, count.hooks],
  ] as const;
  const said = counts.filter(([number]) => number > 0).map(([number, text]) => text({ count: number }));
  return said.length === 0 ? texts.nothing : said.join(', ');
}
