// Edits that the server has not acknowledged: kept in the browser, so that a reload, a crash or a server that is away loses none.
//
// Each page keeps its own, under a key of its own. A page that is opened takes over what pages before it have left. An edit is
// named by its page and a number, so that one that reaches the server twice is kept once.

const STORE = "clusterwright.unsent.";
const DISPUTED = "clusterwright.disputed.";
const PAGE = "clusterwright.page";
const LEFT_BEHIND_MS = 30_000; // edits of an unsaved design, and acknowledged ones, that are as old as that belong to no page any more

const page = [...crypto.getRandomValues(new Uint8Array(12))].map((byte) => byte.toString(16).padStart(2, "0")).join("");

let numbers = 0;

// One more edit of this page. What belongs to the same step as the newest one goes into that, unless it is under way.
export function add(queue, edit, underWay) {
  const newest = queue.at(-1);
  if (newest && newest !== underWay && newest.step === edit.step && newest.page === page) {
    newest.was = { ...edit.was, ...newest.was };
    newest.fields = { ...newest.fields, ...edit.fields };
  } else {
    numbers += 1;
    queue.push({ page, number: numbers, at: Date.now(), ...edit });
  }
}

const ofDesign = (key) => `${STORE}${key}.`;

export function keep(key, queue) {
  try {
    if (queue.length) {
      localStorage.setItem(ofDesign(key) + page, JSON.stringify(queue));
    } else {
      localStorage.removeItem(ofDesign(key) + page);
    }
  } catch {
    // a browser that keeps nothing still sends
  }
}

// What other pages of this design have left; of an unsaved one only what this tab left, and what nobody sends any more.
export function takeOver(key, isUnsaved) {
  const found = [];
  try {
    const before = sessionStorage.getItem(PAGE);
    sessionStorage.setItem(PAGE, page);
    for (const name of Object.keys(localStorage).filter((one) => one.startsWith(ofDesign(key)))) {
      const queue = JSON.parse(localStorage.getItem(name) ?? "[]");
      const isOurs = !isUnsaved || name.endsWith(`.${before}`) || queue.every(({ at }) => Date.now() - at > LEFT_BEHIND_MS);
      if (isOurs) {
        found.push(...queue.filter(({ acknowledged }) => !(Date.now() - acknowledged > LEFT_BEHIND_MS)));
        keep(key, found);
        localStorage.removeItem(name);
      }
    }
  } catch {
    // nothing was kept, or it cannot be read
  }
  return found;
}

// What two have changed at once stays on the page until one of the two states is chosen, also over a reload.
export function keepDisputed(key, html) {
  try {
    if (html) {
      sessionStorage.setItem(DISPUTED + key, html);
    } else {
      sessionStorage.removeItem(DISPUTED + key);
    }
  } catch {
    // it stays until the page is left
  }
}

export function disputed(key) {
  try {
    return sessionStorage.getItem(DISPUTED + key);
  } catch {
    return null;
  }
}
