import fc from 'fast-check';
import { expect, test } from 'vitest';
import { redirectPage } from './redirect-page.ts';

const UNESCAPED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };

test('no link breaks out of its attribute, and both attributes hold the link', () => {
  const withoutLink = redirectPage('');
  fc.assert(
    fc.property(fc.string(), (link) => {
      const page = redirectPage(link);
      expect(page.match(/[<>"']/g)).toEqual(withoutLink.match(/[<>"']/g));
      const values = [...page.matchAll(/(?:href="|; url=)([^"]*)"/g)].map(([, value = '']) =>
        value.replace(/&(#39|\w+);/g, (_, name: string) => UNESCAPED[name] ?? ''),
      );
      expect(values).toEqual([link, link]);
    }),
  );
});
