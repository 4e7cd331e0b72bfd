// The answer to a request goes to its places on the page, also where a newer part has replaced the element that asked.
// htmx looks for places (`hx-swap-oob`) in the tree of the element that asked: of a replaced one that is its own old part.
// Only that look (`composed: false`) sees the page; whether an element is still on it is asked with `composed: true`.

document.addEventListener("htmx:beforeRequest", ({ detail: { elt } }) => {
  elt.getRootNode = (options) => {
    const isReplaced = options?.composed === false && !elt.isConnected;
    return isReplaced ? document : Node.prototype.getRootNode.call(elt, options);
  };
});
