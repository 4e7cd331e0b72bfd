// A search that workers do: its progress is read from time to time, and the page comes again once it has ended.

const EVERY_MS = 700;
const job = document.querySelector("[data-search-job]");

// Null where no whole answer comes, as from a server that starts again: the next look asks anew.
async function standing() {
  try {
    const response = await fetch(job.dataset.searchJob, { headers: { Accept: "application/json" } });
    return response.ok ? await response.json() : null;
  } catch {
    return null;
  }
}

async function follow() {
  const found = await standing();
  if (found && !found.is_active) {
    location.reload();
    return;
  }
  if (found) {
    job.querySelector("progress").value = found.progress;
    job.querySelector("[data-search-share]").textContent = `${Math.floor(found.progress * 100)} %`;
  }
  setTimeout(follow, EVERY_MS);
}

if (job) {
  setTimeout(follow, EVERY_MS);
}
