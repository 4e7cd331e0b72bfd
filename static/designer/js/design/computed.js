// What a blank field stands for, printed in the blank itself, as the live preview answers it.

function show() {
  const block = document.getElementById("computed-values");
  if (!block) {
    return;
  }
  for (const [path, text] of Object.entries(JSON.parse(block.textContent))) {
    const input = document.getElementById(`id_${path.replaceAll(".", "__")}`);
    if (input instanceof HTMLSelectElement && input.options[0]?.value === "") {
      input.options[0].textContent = `Automatic: ${text}`;
    } else if (input instanceof HTMLInputElement) {
      input.placeholder = text;
    }
  }
}

document.addEventListener("studio:shown", show);
