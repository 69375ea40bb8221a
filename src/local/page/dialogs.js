import { drawBlocks } from './blocks.js';
import { act } from './desk-client.js';
import { el } from './dom.js';
import { mrkdwn, plainText } from './mrkdwn.js';

/** Shows a button's confirm object before the click goes out; true when the person confirms. */
export function confirmed(confirm, directory) {
  const dialog = document.getElementById('confirm');
  const words = confirm.text.type === 'mrkdwn' ? mrkdwn(confirm.text.text, directory) : [plainText(confirm.text.text)];
  return new Promise((resolve) => {
    const style = confirm.style === 'danger' ? 'danger' : 'primary';
    const form = el(
      'form.sheet',
      { method: 'dialog' },
      el('h2', { id: 'confirm-title' }, plainText(confirm.title.text)),
      el('p', {}, ...words),
      el(
        'div.sheet-actions',
        {},
        el('button.button', { value: 'deny' }, plainText(confirm.deny.text)),
        el(`button.button.${style}`, { value: 'confirm', autofocus: true }, plainText(confirm.confirm.text)),
      ),
    );
    dialog.setAttribute('aria-labelledby', 'confirm-title');
    dialog.replaceChildren(form);
    dialog.returnValue = 'deny';
    dialog.addEventListener('close', () => resolve(dialog.returnValue === 'confirm'), { once: true });
    dialog.showModal();
  });
}

/** Shows the topmost modal that is open in front of this person, or none. */
export function drawModal(open, directory) {
  const dialog = document.getElementById('modal');
  const signature = open === undefined ? '' : JSON.stringify([open.view.id, open.view.hash, open.errors]);
  if (dialog.dataset.sign === signature) return;
  const typed = valuesIn(dialog);
  const same = open !== undefined && dialog.dataset.view === open.view.id;
  dialog.dataset.sign = signature;
  dialog.dataset.view = open?.view.id ?? '';
  if (open === undefined) {
    dialog.close();
    return;
  }
  dialog.replaceChildren(sheet(open, directory, same ? typed : {}));
  if (!dialog.open) dialog.showModal();
  dialog.oncancel = () => void act('closes', { view: open.view.id });
}

function sheet({ view, errors }, directory, typed) {
  const told = el('p.error', { role: 'alert' });
  const form = el(
    'form.sheet',
    {
      submit: async (event) => {
        event.preventDefault();
        told.textContent = '';
        try {
          const delivery = await act('submits', { view: view.id, values: valuesIn(form) });
          if (delivery.kind !== 'acknowledged') told.textContent = 'The bot did not answer. Try again.';
        } catch (fault) {
          told.textContent = fault.message;
        }
      },
    },
    el('h2', {}, plainText(view.title?.text ?? '')),
    ...view.blocks.map((block) =>
      block.type === 'input'
        ? input(block, errors[block.block_id], typed[block.block_id])
        : drawBlocks([block], { directory, key: view.id })[0],
    ),
    told,
    el(
      'div.sheet-actions',
      {},
      el('button.button', { type: 'button', click: () => void act('closes', { view: view.id }) }, plainText(view.close?.text ?? 'Close')),
      view.submit ? el('button.button.primary', { type: 'submit' }, plainText(view.submit.text)) : null,
    ),
  );
  return form;
}

function input(block, error, typed) {
  const { element } = block;
  const name = block.block_id;
  const value = typed ?? element.initial_value ?? element.initial_option?.value ?? '';
  let control;
  if (element.type === 'static_select' || element.type === 'radio_buttons') {
    control = el(
      'select',
      { name },
      ...element.options.map((option) => el('option', { value: option.value }, plainText(option.text.text))),
    );
    if (value !== '') control.value = value;
  } else {
    control = el(element.multiline ? 'textarea' : 'input', { name, maxlength: element.max_length, placeholder: element.placeholder?.text });
    control.value = value;
  }
  control.required = block.optional !== true;
  if (error !== undefined) control.setAttribute('aria-invalid', 'true');
  return el(
    'label.field',
    {},
    el('span', {}, plainText(block.label.text)),
    control,
    error === undefined ? null : el('span.error', {}, error),
    block.hint === undefined ? null : el('span.quiet', {}, plainText(block.hint.text)),
  );
}

function valuesIn(root) {
  return Object.fromEntries([...root.querySelectorAll('[name]')].map((control) => [control.name, control.value]));
}
