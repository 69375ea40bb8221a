import { complaintsAboutBlocks } from './block-kit.js';
import { DeskError } from './desk-error.js';
import { isRecord, type Json, parseJson, recordsOf, textOf } from './record.js';
import { type Fields, refuse } from './slack-api.js';
import type { SlackState } from './slack-state.js';

/** A modal that is open in front of somebody. `view` is what Slack holds, as `views.open` answered it. */
export interface OpenView {
  readonly userId: string;
  readonly view: Json;
  /** What the bot answered to a submission it did not take, by `block_id`. */
  readonly errors: Json;
}

/** What is kept of an answer to `view_submission`. */
type Outcome = 'closed' | 'kept';

/** The modals that are open, one stack a person, and the triggers that may open them. */
export class Views {
  readonly #state: SlackState;
  readonly #triggers = new Map<string, string>();
  readonly #homes = new Map<string, Json>();
  /** Modals that were submitted and not answered yet. */
  readonly #submitted = new Map<string, Promise<unknown>>();
  #open: OpenView[] = [];

  constructor(state: SlackState) {
    this.#state = state;
  }

  /** A new trigger of this person: good for one modal, for three seconds. */
  async trigger(userId: string, viewId?: string): Promise<string> {
    const answer = await this.#state.call('views.generateTriggerId', {
      user_id: userId,
      ...(viewId === undefined ? {} : { view_id: viewId }),
    });
    const trigger = textOf(answer.trigger_id);
    this.#triggers.set(trigger, userId);
    return trigger;
  }

  /** Answers `views.open`, `views.push` and `views.update`. */
  async call(method: string, fields: Fields): Promise<Json> {
    const refusal = refusalOf(fields.view ?? '');
    if (refusal !== undefined) return refusal;
    const updated = fields.view_id ?? '';
    await this.#submitted.get(updated);
    return this.#apply(method, fields);
  }

  /**
   * A modal that is submitted: what the bot makes of it later comes after its answer to the submission, though that came by
   * another connection and may be read later here.
   */
  async submitted<T>(viewId: string, answered: () => Promise<T>): Promise<T> {
    const over = answered();
    this.#submitted.set(
      viewId,
      over.catch(() => undefined),
    );
    try {
      return await over;
    } finally {
      this.#submitted.delete(viewId);
    }
  }

  async #apply(method: string, fields: Fields): Promise<Json> {
    const updated = fields.view_id ?? '';
    if (method === 'views.update' && updated !== '' && this.find(updated) === undefined) return refuse('not_found');
    const answer = await this.#state.call(method, fields);
    if (answer.ok !== true || !isRecord(answer.view)) return answer;
    const { view } = answer;
    if (method === 'views.update') this.#open = this.#open.map((open) => (open.view.id === view.id ? { ...open, view, errors: {} } : open));
    else this.#open.push({ userId: this.#triggers.get(fields.trigger_id ?? '') ?? '', view, errors: {} });
    return answer;
  }

  /** Answers `views.publish`: what somebody finds on the bot's Home tab from now on. */
  async publish(fields: Fields): Promise<Json> {
    const refusal = refusalOf(fields.view ?? '');
    if (refusal !== undefined) return refusal;
    const answer = await this.#state.call('views.publish', fields);
    if (answer.ok === true && isRecord(answer.view)) this.#homes.set(fields.user_id ?? '', answer.view);
    return answer;
  }

  /** The Home tab of this person, if one was published. */
  homeOf(userId: string): Json | undefined {
    return this.#homes.get(userId);
  }

  of(userId: string): readonly OpenView[] {
    return this.#open.filter((open) => open.userId === userId);
  }

  find(viewId: string): OpenView | undefined {
    return this.#open.find((open) => open.view.id === viewId);
  }

  close(viewId: string): void {
    this.#open = this.#open.filter((open) => open.view.id !== viewId);
  }

  /** Applies the bot's answer to a submission: no body closes the modal, `response_action` keeps, replaces, stacks or clears. */
  async settle(viewId: string, body: string): Promise<Outcome> {
    const answer = body.trim() === '' ? {} : parseJson(body);
    const open = this.find(viewId);
    if (open === undefined || !isRecord(answer)) return 'kept';
    const view = JSON.stringify(answer.view ?? {});
    switch (answer.response_action) {
      case undefined:
        this.close(viewId);
        return 'closed';
      case 'clear':
        this.#open = this.#open.filter(({ userId }) => userId !== open.userId);
        return 'closed';
      case 'errors':
        this.#open = this.#open.map((each) => (each === open ? { ...each, errors: isRecord(answer.errors) ? answer.errors : {} } : each));
        return 'kept';
      case 'update':
        await this.#apply('views.update', { view_id: viewId, view });
        return 'kept';
      case 'push':
        await this.#apply('views.push', { trigger_id: await this.trigger(open.userId, viewId), view });
        return 'kept';
      default:
        throw new DeskError(`settle ${viewId}: response_action ${textOf(answer.response_action)} is unknown to Slack`);
    }
  }
}

/** What somebody filled in, by `block_id`, in the shape of `view.state.values`. Throws DeskError for a block that is not there. */
export function valuesOf(view: Json, filled: Readonly<Record<string, string>>): Json {
  const inputs = recordsOf(view.blocks).filter((block) => block.type === 'input');
  for (const blockId of Object.keys(filled)) {
    if (!inputs.some((block) => block.block_id === blockId)) throw new DeskError(`fill in modal: no input block "${blockId}"`);
  }
  return Object.fromEntries(
    inputs.map((block) => {
      const element = isRecord(block.element) ? block.element : {};
      return [textOf(block.block_id), { [textOf(element.action_id)]: answerOf(element, filled[textOf(block.block_id)]) }];
    }),
  );
}

function answerOf(element: Json, filled: string | undefined): Json {
  const type = textOf(element.type);
  if (type === 'static_select' || type === 'radio_buttons') {
    const chosen = recordsOf(element.options).find((option) => option.value === filled);
    return { type, selected_option: chosen ?? element.initial_option ?? null };
  }
  if (type === 'checkboxes') {
    const values = (filled ?? '').split(',');
    return { type, selected_options: recordsOf(element.options).filter((option) => values.includes(textOf(option.value))) };
  }
  if (type === 'users_select') return { type, selected_user: filled ?? element.initial_user ?? null };
  // What nobody touched is as it was drawn; what was emptied is sent as nothing.
  if (filled === undefined) return { type, value: element.initial_value ?? null };
  return { type, value: filled === '' ? null : filled };
}

/** Why Slack would not take this view; the limits are those of @slack/types. */
function refusalOf(text: string): Json | undefined {
  const view = parseJson(text);
  if (!isRecord(view)) return refuse('invalid_arguments');
  if (Buffer.byteLength(text) > 250_000) return refuse('view_too_large');
  const messages = [...complaintsAboutBlocks(view.blocks, 'modal', '/view/blocks')];
  for (const part of ['title', 'submit', 'close']) {
    const said = isRecord(view[part]) ? textOf(view[part].text) : '';
    if (said.length > 24) messages.push(`[ERROR] must be less than 25 characters [json-pointer:/view/${part}/text]`);
  }
  if (textOf(view.callback_id).length > 255) messages.push('[ERROR] must be less than 256 characters [json-pointer:/view/callback_id]');
  if (textOf(view.private_metadata).length > 3000)
    messages.push('[ERROR] must be less than 3001 characters [json-pointer:/view/private_metadata]');
  const needsSubmit = recordsOf(view.blocks).some((block) => block.type === 'input') && view.submit === undefined;
  if (needsSubmit) messages.push('[ERROR] missing required field: submit [json-pointer:/view]');
  return messages.length === 0 ? undefined : refuse('invalid_arguments', { response_metadata: { messages } });
}
