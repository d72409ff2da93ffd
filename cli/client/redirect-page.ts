/** A page that leads to a link at once. */

/** It works without scripts, and tells the server that it leads to nothing about itself. */
export function redirectPage(link: string): string {
  const target = escaped(link);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url=${target}">
<title>LanReach</title>
</head>
<body>
<p><a href="${target}" rel="noreferrer">Open the console of LanReach</a></p>
</body>
</html>
`;
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}
