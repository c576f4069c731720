// The pictures of the README, from the demonstration.

import { close, done, input, is, ok, open, signIn, start }
    from './browser.mjs';

await start();

const page = await open({ viewport: { width: 1280, height: 800 } });

async function take(name) {
    await page.mouse.move(0, 0);
    await page.evaluate(() => document.activeElement.blur());
    await page.waitForTimeout(300);
    await page.screenshot({ path: `${input.dir}/${name}.png` });
}

await signIn(page, input.link);
await page.goto('/portal/#/hosts');
await page.waitForFunction((n) => document.querySelectorAll(
    '.rows .state.listed').length === n, input.listed);
is(await page.locator('.rows .state.unknown, .rows .state.waiting').count(), 0,
    'each host has a state');
await take('light');
await page.emulateMedia({ colorScheme: 'dark' });
await page.goto(`/portal/#/host/${input.host}`);
await page.waitForSelector('.timeline');
await page.waitForSelector('.card');
ok(true, 'a host is listed, and the page says where');
await take('dark');
await close(page, 'the demonstration');
await done();
