import { startHarbour } from './harbour.js';

/** `npm start`: a harbour with a page, until it is told to stop. Prints one URL. */
export async function runLocal(options: { readonly home: string; readonly port?: number }): Promise<number> {
  process.stdout.write('Starting the local harbour: cluster, Slack and GitHub stand-ins, bot …\n');
  const said = (text: string): void => void process.stdout.write(`${text}\n`);
  const harbour = await startHarbour({
    ...options,
    page: true,
    onBotEnd: () => said('The bot ended by itself; its log is bot.log in the home folder. Start it again on the page.'),
  });
  said(`\n  ${harbour.pageUrl}\n\nLocal only, not Slack. State and logs: ${options.home}. Ctrl-C ends everything.`);
  await new Promise<void>((done) => {
    process.once('SIGTERM', () => done());
    process.once('SIGINT', () => done());
  });
  await harbour.stop();
  return 0;
}
