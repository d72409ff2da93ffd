import { expect, test } from 'vitest';
import { tagsIn } from './import-sites.ts';

test.each(['customers berlin', 'customers,berlin', ' customers,  berlin, '])('the tags in "%s"', (text) => {
  expect(tagsIn(text)).toEqual(['customers', 'berlin']);
});
