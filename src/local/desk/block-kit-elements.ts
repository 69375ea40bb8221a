import { isRecord, type Json, textOf } from './record.js';

/** Complaints about one payload, as Slack puts them into `response_metadata.messages`. */
export class Complaints {
  readonly all: string[] = [];

  add(what: string, pointer: string): void {
    this.all.push(`[ERROR] ${what} [json-pointer:${pointer}]`);
  }
}

/** The number of characters as Slack counts them: code points, not UTF-16 units. */
export function charactersOf(text: string): number {
  return [...text].length;
}

interface TextRule {
  readonly most: number;
  readonly only?: 'plain_text';
}

/** Checks a text object: its type, that it is not empty and not too long. */
export function checkText(text: unknown, rule: TextRule, at: string, complaints: Complaints): void {
  if (!isRecord(text)) {
    complaints.add(`missing required field: ${at.slice(at.lastIndexOf('/') + 1)}`, at.slice(0, at.lastIndexOf('/')));
    return;
  }
  if (text.type !== 'plain_text' && (text.type !== 'mrkdwn' || rule.only !== undefined)) {
    complaints.add(`unsupported type: ${textOf(text.type)}`, `${at}/type`);
  }
  const length = charactersOf(textOf(text.text));
  if (length === 0) complaints.add('must be more than 0 characters', `${at}/text`);
  if (length > rule.most) complaints.add(`must be less than ${rule.most + 1} characters`, `${at}/text`);
}

/** Checks an interactive element or an image. */
export function checkElement(element: Json, at: string, complaints: Complaints): void {
  atMost(element, 'action_id', 255, at, complaints);
  if (element.confirm !== undefined) checkConfirm(element.confirm, `${at}/confirm`, complaints);
  switch (element.type) {
    case 'button':
      checkButton(element, at, complaints);
      return;
    case 'image':
      atMost(element, 'image_url', 3000, at, complaints);
      atMost(element, 'alt_text', 2000, at, complaints);
      if (textOf(element.alt_text) === '') complaints.add('missing required field: alt_text', at);
      return;
    case 'overflow':
      checkOptions(element, 5, at, complaints);
      return;
    case 'radio_buttons':
    case 'checkboxes':
      checkOptions(element, 10, at, complaints);
      return;
    case 'static_select':
    case 'multi_static_select':
      if (element.placeholder !== undefined) {
        checkText(element.placeholder, { most: 150, only: 'plain_text' }, `${at}/placeholder`, complaints);
      }
      checkOptions(element, 100, at, complaints);
      return;
    case 'plain_text_input':
      if (typeof element.max_length === 'number' && element.max_length > 3000) complaints.add('must be less than 3001', `${at}/max_length`);
      return;
    case 'users_select':
    case 'conversations_select':
    case 'channels_select':
    case 'datepicker':
    case 'timepicker':
    case 'datetimepicker':
    case 'number_input':
    case 'url_text_input':
    case 'email_text_input':
      return;
    default:
      complaints.add(`unsupported type: ${textOf(element.type)}`, `${at}/type`);
  }
}

function checkButton(button: Json, at: string, complaints: Complaints): void {
  checkText(button.text, { most: 75, only: 'plain_text' }, `${at}/text`, complaints);
  atMost(button, 'value', 2000, at, complaints);
  atMost(button, 'url', 3000, at, complaints);
  atMost(button, 'accessibility_label', 75, at, complaints);
  if (button.style !== undefined && button.style !== 'primary' && button.style !== 'danger') {
    complaints.add('must be a valid enum value', `${at}/style`);
  }
  const known = ['type', 'text', 'action_id', 'url', 'value', 'style', 'confirm', 'accessibility_label'];
  for (const field of Object.keys(button)) {
    if (!known.includes(field)) complaints.add(`invalid additional property: ${field}`, at);
  }
}

function checkConfirm(confirm: unknown, at: string, complaints: Complaints): void {
  if (!isRecord(confirm)) {
    complaints.add('must be an object', at);
    return;
  }
  checkText(confirm.title, { most: 100, only: 'plain_text' }, `${at}/title`, complaints);
  checkText(confirm.text, { most: 300 }, `${at}/text`, complaints);
  checkText(confirm.confirm, { most: 30, only: 'plain_text' }, `${at}/confirm`, complaints);
  checkText(confirm.deny, { most: 30, only: 'plain_text' }, `${at}/deny`, complaints);
}

function checkOptions(element: Json, most: number, at: string, complaints: Complaints): void {
  const options = element.options;
  if (!Array.isArray(options) || options.length === 0) {
    if (element.option_groups === undefined) complaints.add('missing required field: options', at);
    return;
  }
  if (options.length > most) complaints.add(`no more than ${most} items allowed`, `${at}/options`);
  options.forEach((option: unknown, index) => {
    if (!isRecord(option)) {
      complaints.add('must be an object', `${at}/options/${index}`);
      return;
    }
    checkText(option.text, { most: 75 }, `${at}/options/${index}/text`, complaints);
    atMost(option, 'value', 150, `${at}/options/${index}`, complaints);
    if (option.description !== undefined) checkText(option.description, { most: 75 }, `${at}/options/${index}/description`, complaints);
  });
}

function atMost(holder: Json, field: string, most: number, at: string, complaints: Complaints): void {
  if (charactersOf(textOf(holder[field])) > most) complaints.add(`must be less than ${most + 1} characters`, `${at}/${field}`);
}
