// The page of somebody who may look at a design and not change it: it follows what others do, and its result follows the
// state. It sends nothing but questions.

import { differences, form, markChanged } from "./fields.js";
import "./following.js";
import { fadeChanges, markResult } from "./freshness.js";
import { LOOK_MS, stateSince } from "./looks.js";
import { place } from "./placing.js";
import { SIGNED_OUT } from "./requests.js";
import { say, sayNews, unsay } from "./session/note.js";

const CLOSED = "The design is not open to you any more: what stands here is what it was.";

const bar = () => document.getElementById("studio-bar");

let looking = false;
let wasOut = false;
let timer = 0;

// What the fields say, closed as they are.
function values() {
  const fields = [...form().elements].filter(({ name, type }) => name && type !== "hidden");
  return Object.fromEntries(fields.map(({ name, type, value, checked }) => [name, type === "checkbox" && !checked ? "" : value]));
}

function nameChange(by, names) {
  if (by && names.length) {
    markChanged(names, by);
    sayNews(`Changed by ${by}.`);
  }
}

function show(html) {
  const before = values();
  place(html);
  markResult();
  fadeChanges();
  unsay();
  nameChange(bar().dataset.by, Object.keys(differences(values(), before).fields));
}

// The estimate of the state that holds, once somebody who may ask for it has done so. What is under way polls by itself.
async function askForResult() {
  const isUnderWay = document.querySelector("#job .job, #follow [hx-get]");
  if (!isUnderWay && document.getElementById("estimated-hash").value !== bar().dataset.spec) {
    const target = document.getElementById("result") ? "#follow" : "#job"; // what is visible stays until the new one is there
    const query = target === "#follow" ? "?follow=1" : "";
    // A server that is away has been reported by htmx; the next look asks again.
    await window.htmx?.ajax("GET", `${form().action}result/${query}`, { target, swap: "innerHTML" }).catch(() => {});
  }
}

function stop() {
  clearInterval(timer);
  say(CLOSED);
}

async function look() {
  if (document.visibilityState !== "visible" || looking) {
    return;
  }
  looking = true;
  try {
    const answer = await stateSince(bar().dataset.seen);
    if (answer?.html) {
      show(answer.html);
    }
    if (answer?.isSignedOut) {
      say(SIGNED_OUT);
      wasOut = true;
    } else if (answer?.ok && wasOut) {
      wasOut = false;
      unsay();
    }
    if (answer?.status === 404) {
      stop();
    } else if (answer?.ok) {
      await askForResult();
    }
  } finally {
    looking = false;
  }
}

document.addEventListener("htmx:afterSettle", markResult);
document.addEventListener("visibilitychange", look);
timer = setInterval(look, LOOK_MS);
markResult();
