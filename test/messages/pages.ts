import { answersPage } from './answers.js';
import type { Scale } from './extreme.js';
import { ferryPage } from './ferry.js';
import { formsPage } from './forms.js';
import { githubPage } from './github.js';
import { heroPage } from './hero.js';
import { homePage } from './home.js';
import { noticesPage } from './notices.js';
import type { Page } from './outgoing.js';
import { refusalPage } from './refusals.js';
import { schedulePage } from './schedule.js';
import { shorteningPage } from './shortening.js';
import { typedPage } from './typed.js';
import { wordsPage } from './words.js';

const TYPED = await typedPage();

/** Everything that the bot can say. */
export function pagesOf(scale: Scale): readonly Page[] {
  const said = [
    heroPage,
    ferryPage,
    schedulePage,
    formsPage,
    answersPage,
    refusalPage,
    noticesPage,
    homePage,
    githubPage,
    wordsPage,
    shorteningPage,
  ];
  return [...said.map((page) => page(scale)), TYPED];
}
