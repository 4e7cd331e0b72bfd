// Other tabs of this browser. Owns the channel between them: they learn at once of what this one has kept.

import { form } from "../fields.js";
import { bar } from "./page.js";

const channel = "BroadcastChannel" in window ? new BroadcastChannel("clusterwright") : null;

export function tellTabs() {
  channel?.postMessage({ design: form().dataset.design, seen: bar().dataset.seen });
}

// Calls what it is given when another tab has shown a state of this design that this page has not.
export function hearTabs(then) {
  channel?.addEventListener("message", ({ data }) => {
    if (form() && data.design === form().dataset.design && data.seen !== bar().dataset.seen) {
      then();
    }
  });
}
