let isPressed = false;
const waiting = [];
document.addEventListener('pointerdown', () => (isPressed = true), true);
for (const end of ['pointerup', 'pointercancel', 'blur']) {
  (end === 'blur' ? window : document).addEventListener(end, () => setTimeout(release), true);
}

// A pointer that was let go where nobody tells us, outside the window or over a control that was shut meanwhile.
document.addEventListener('pointermove', ({ buttons }) => isPressed && buttons === 0 && release(), true);

/** Runs after the click that a released pointer makes. */
function release() {
  isPressed = false;
  for (const resolve of waiting.splice(0)) resolve();
}

/** Resolves when no pointer is pressed: what is drawn anew under one loses its click. */
export function released() {
  return isPressed ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve();
}

/**
 * Makes an element. Text only ever becomes a text node: nothing from outside is read as markup.
 * @param {string} name tag name, with classes after dots
 * @param {Record<string, unknown>} [attributes] attributes; a function is an event listener
 * @param {...(Node | string | null | undefined)} children
 */
export function el(name, attributes = {}, ...children) {
  const [tag, ...classes] = name.split('.');
  const element = document.createElement(tag);
  if (classes.length > 0) element.className = classes.join(' ');
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (typeof value === 'function') element.addEventListener(key, value);
    else element.setAttribute(key, value === true ? '' : String(value));
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== ''));
  return element;
}

/**
 * Brings a list on the page up to date, touching only what changed, so that focus, scroll and selection stay.
 * @param {Element} parent
 * @param {readonly unknown[]} items
 * @param {{ key: (item: never) => string, sign: (item: never) => string, draw: (item: never) => Element }} how
 */
export function keyed(parent, items, { key, sign, draw }) {
  const standing = new Map([...parent.children].map((child) => [child.dataset.key, child]));
  let before = null;
  for (const item of items) {
    const name = key(item);
    const signature = sign(item);
    let element = standing.get(name);
    standing.delete(name);
    if (element === undefined || element.dataset.sign !== signature) {
      const drawn = draw(item);
      drawn.dataset.key = name;
      drawn.dataset.sign = signature;
      if (element !== undefined) replaceKeepingFocus(element, drawn);
      element = drawn;
    }
    const place = before === null ? parent.firstElementChild : before.nextElementSibling;
    if (place !== element) parent.insertBefore(element, place);
    before = element;
  }
  for (const gone of standing.values()) gone.remove();
}

/** Swaps an element; a focused part of it is found again in the new one by its `data-focus`. */
export function replaceKeepingFocus(old, fresh) {
  const active = document.activeElement;
  const focus = old.contains(active) ? active.dataset.focus : undefined;
  const open = [...old.querySelectorAll('details[open][data-focus]')].map((details) => details.dataset.focus);
  old.replaceWith(fresh);
  for (const details of fresh.querySelectorAll('details[data-focus]')) if (open.includes(details.dataset.focus)) details.open = true;
  if (focus !== undefined) fresh.querySelector(`[data-focus="${CSS.escape(focus)}"]`)?.focus({ preventScroll: true });
}

/** A button that cannot be pressed again while its work lasts. */
export async function busyWhile(button, work) {
  button.disabled = true;
  try {
    await work;
  } finally {
    button.disabled = false;
  }
}

/** Draws into `parent` only when what is drawn changed. */
export function redraw(parent, signature, draw) {
  if (parent.dataset.sign === signature) return;
  parent.dataset.sign = signature;
  const fresh = el('div');
  fresh.append(...draw());
  const focus = parent.contains(document.activeElement) ? document.activeElement.dataset.focus : undefined;
  const open = [...parent.querySelectorAll('details[open][data-focus]')].map((details) => details.dataset.focus);
  const scroll = parent.scrollTop;
  parent.replaceChildren(...fresh.childNodes);
  for (const details of parent.querySelectorAll('details[data-focus]')) if (open.includes(details.dataset.focus)) details.open = true;
  if (focus !== undefined) parent.querySelector(`[data-focus="${CSS.escape(focus)}"]`)?.focus({ preventScroll: true });
  parent.scrollTop = scroll;
}
