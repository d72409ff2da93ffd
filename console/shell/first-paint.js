// Runs before anything is painted, so that a page in dark colours does not flash in light ones, nor in another language. It
// is a script of its own at the head of the page: the Content-Security-Policy forbids inline scripts, and modules run after
// the first paint.
{
  /** The build fills it in. */
  const LANGUAGES = ['__LANGUAGES__'];
  const { dataset } = document.documentElement;
  let language = null;
  try {
    dataset.theme = localStorage.getItem('lanreach.theme') ?? 'system';
    dataset.density = localStorage.getItem('lanreach.density') ?? 'compact';
    language = localStorage.getItem('lanreach.language');
  } catch {
    // A browser that keeps nothing for this page.
  }
  const offered = [language ?? '', ...navigator.languages].map((one) => one.slice(0, 2).toLowerCase());
  document.documentElement.lang = offered.find((one) => LANGUAGES.includes(one)) ?? 'en';
}
