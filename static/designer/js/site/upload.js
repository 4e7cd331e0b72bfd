// Files dropped on a form: the place lights up, and what is too much is refused before it is sent.

function size(bytes) {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

function wrong(input) {
  const files = [...input.files];
  const { maxFiles, maxFileBytes, maxBytes } = input.dataset;
  const large = files.find((file) => file.size > Number(maxFileBytes));
  const total = files.reduce((sum, file) => sum + file.size, 0);
  if (files.length > Number(maxFiles)) {
    return `${files.length} files were chosen, and ${maxFiles} are the most at once.`;
  }
  if (large) {
    return `${large.name} has ${size(large.size)}, and ${size(maxFileBytes)} is the most. Cut it to the table of results.`;
  }
  return total > Number(maxBytes) ? `The files have ${size(total)} together, and ${size(maxBytes)} is the most.` : "";
}

for (const input of document.querySelectorAll("[data-drop]")) {
  for (const kind of ["dragenter", "dragover"]) {
    input.addEventListener(kind, () => input.classList.add("over"));
  }
  for (const kind of ["dragleave", "drop"]) {
    input.addEventListener(kind, () => input.classList.remove("over"));
  }
  input.addEventListener("change", () => {
    const message = wrong(input);
    input.setCustomValidity(message);
    if (message) {
      input.setAttribute("aria-invalid", "true");
    } else {
      input.removeAttribute("aria-invalid");
    }
    document.getElementById(`error_${input.name}`).textContent = message;
    if (!message && input.files.length) {
      input.dispatchEvent(new Event("files-chosen", { bubbles: true }));
    }
  });
}
