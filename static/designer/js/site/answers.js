// The answer to a request goes to its places on the page, also where a newer part has replaced the element that asked.
// htmx looks for places (`hx-swap-oob`) in the tree of the element that asked: of a replaced one that is its own old part.

document.addEventListener("htmx:beforeRequest", ({ detail: { elt } }) => {
  elt.getRootNode = (options) => (elt.isConnected ? Node.prototype.getRootNode.call(elt, options) : document);
});
