// While the run goes on, a page that is served asks its own address for news:
// the same page again, as a document that runs no script.
let tag = "";

const take = (fresh) => {
  const typing = document.activeElement.id === "search" && [$("#search").selectionStart, $("#search").selectionEnd];
  const row = document.activeElement.closest("tr[data-id]")?.dataset.id;
  load($("#data", fresh).textContent);
  $("#overview").replaceChildren(...$("#overview", fresh).childNodes);
  document.documentElement.toggleAttribute("data-live", fresh.documentElement.hasAttribute("data-live"));
  document.title = fresh.title;
  enhance();
  if (shown.length) redraw();
  if (typing) {
    $("#search").focus({ preventScroll: true });
    $("#search").setSelectionRange(...typing);
  } else if (row !== undefined) rowOf(row)?.querySelector("a").focus({ preventScroll: true });
};

const lost = (yes) => document.documentElement.toggleAttribute("data-lost", yes);

const poll = () => {
  if (!document.documentElement.hasAttribute("data-live")) return;
  const again = () => setTimeout(poll, 1000);
  if (document.hidden || document.activeElement.matches("select")) return again();
  const news = new XMLHttpRequest();
  news.open("GET", location.pathname);
  news.responseType = "document";
  if (tag) news.setRequestHeader("If-None-Match", tag);
  news.onload = () => {
    lost(news.status !== 200 && news.status !== 304);
    if (news.status === 200 && news.response) {
      tag = news.getResponseHeader("ETag") || "";
      take(news.response);
    }
    again();
  };
  news.onerror = () => {
    lost(true);
    again();
  };
  news.send();
};
