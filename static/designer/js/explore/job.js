// A search that workers do: its progress is read from time to time, and the page comes again once it has ended.

const EVERY_MS = 700;
const job = document.querySelector("[data-search-job]");

async function follow() {
  const response = await fetch(job.dataset.searchJob, { headers: { Accept: "application/json" } });
  if (response.ok) {
    const { progress, is_active: isActive } = await response.json();
    if (!isActive) {
      location.reload();
      return;
    }
    job.querySelector("progress").value = progress;
    job.querySelector("[data-search-share]").textContent = `${Math.floor(progress * 100)} %`;
  }
  setTimeout(follow, EVERY_MS);
}

if (job) {
  setTimeout(follow, EVERY_MS);
}
