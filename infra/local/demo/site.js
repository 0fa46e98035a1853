// A site's addresses may lead nowhere yet (the demo's are invented), so here they lead to what Magpie holds of each page.

const site = document.body.dataset.site;
const isHere = (url) => url === site || url.startsWith(`${site}/`);
const local = (url) => `source?url=${encodeURIComponent(url)}`;

for (const link of document.querySelectorAll(".pages a")) if (isHere(link.href)) link.href = local(link.href);

addEventListener("magpie:link", (event) => {
  if (!isHere(event.detail.url)) return;
  event.preventDefault();
  // On a phone the panel covers the page that is asked for.
  if (matchMedia("(max-width: 600px)").matches) event.target.close();
  location.assign(local(event.detail.url));
});
