// Runs before anything is painted, so that a page in dark colours does not flash in light ones. It is a script of its own at
// the head of the page: the Content-Security-Policy forbids inline scripts, and modules run after the first paint.
try {
  document.documentElement.dataset.theme = localStorage.getItem('lanreach.theme') ?? 'system';
} catch {
  // A browser that keeps nothing for this page.
}
