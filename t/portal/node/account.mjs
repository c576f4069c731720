// By keyboard alone: an owner changes name, time zone and interval of the
// account; the times of the page follow at once.

import { close, done, input, is, ok, open, signIn, start, tabTo }
    from './browser.mjs';

await start();

const page = await open();

const reach = (text) => tabTo(page, text);

async function press(text) {
    await reach(text);
    await page.keyboard.press('Enter');
}

// The exact time is there when the pointer is.
async function since() {
    await page.mouse.move(0, 0);
    await page.hover('.facts time');
    return page.getAttribute('.facts time', 'title');
}

await signIn(page, input.link);
await page.waitForSelector('header nav');
await press('Settings');
await page.waitForSelector('h1 >> text=Account');
await page.waitForSelector('#timezone');
ok(/1, no limit|1 of /.test(await page.textContent('.facts')),
    'how many hosts there are');
is((await page.locator('.gauges a').evaluateAll((all) => all.map((link) =>
    link.hash))).join(), '#/hosts,#/contacts,#/checks',
'what is used leads to it');
const before = await since();
await reach('Name');
await page.keyboard.press('Control+A');
await page.keyboard.type('New name');
await reach('Time zone');
await page.keyboard.type('Asia/Tokyo');
await reach('Time between checks');
await page.keyboard.type('2 hours');
await press('Save');
await page.waitForSelector('[role=status] >> text=Saved.');
await page.waitForSelector('header strong >> text=New name');
ok(true, 'the name is in the header');
ok(await since() !== before, 'times are shown in the new time zone at once');
ok(/2 hours/.test((await page.locator('.facts').allTextContents()).join(' ')),
    'the interval');
await page.reload();
await page.waitForSelector('#timezone');
is(await page.inputValue('#timezone'), 'Asia/Tokyo', 'it is still chosen');
await close(page, 'settings by keyboard');

const viewer = await open();

await viewer.context().addCookies([{ url: input.url, ...input.viewer }]);
await viewer.goto('/portal/#/account');
await viewer.waitForSelector('.facts');
is(await viewer.locator('main form').count(), 0, 'a viewer has no form');
await close(viewer, 'a viewer');
await done();
