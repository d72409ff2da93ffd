import { expect, test } from 'vitest';
import { sitesIn, tagsIn } from './import-sites.ts';

test.each(['customers berlin', 'customers,berlin', ' customers,  berlin, '])('the tags in "%s"', (text) => {
  expect(tagsIn(text)).toEqual(['customers', 'berlin']);
});

test.each([
  ['id,name,tags\nattic,Attic,"a,b"\n'],
  ['\ufeffsep=;\r\nID;Name;Tags\r\nattic;Attic;a,b\r\n'],
  ['id,name,tags\n="attic",="Attic",="a,b"\n'],
  ['id,name,tags\n"=""attic""","=""Attic""","=""a,b"""\n'],
  ['id,name,tags,,\nattic,Attic,"a,b",,\n,,,,\n'],
  ['id,name,tags\nattic,Attic,"a,b", ,\n\n'],
])('a file of sites as spreadsheets write it: %j', async (text) => {
  expect(await sitesIn(Buffer.from(text))).toEqual([{ id: 'attic', name: 'Attic', tags: 'a,b' }]);
});

test.each([
  ['name\nAttic\n', 'no column id'],
  ['id,city\na,b\n', 'no column city'],
  ['id,,city\na,,b\n', 'no column , city'],
  ['id,name,tags\na,A,x,y\n', 'the row a,A,x,y has 4 cells, expected 3'],
  ['id,name\na\n', 'has 1 cells, expected 2'],
])('a file of sites that is refused: %j', async (text, why) => {
  await expect(sitesIn(Buffer.from(text))).rejects.toThrow(why);
});
