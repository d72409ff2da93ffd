import fc from 'fast-check';
import { expect, test } from 'vitest';
import { redirectPage } from './redirect-page.ts';

test('the page leads to the link, and sends no referrer', () => {
  const page = redirectPage('http://127.0.0.1:8787/console/#token=a&to=/sites/home/devices');
  expect(page).toContain('content="0; url=http://127.0.0.1:8787/console/#token=a&amp;to=/sites/home/devices">');
  expect(page).toContain('<meta name="referrer" content="no-referrer">');
});

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
