// By keyboard alone: sign in, add hosts, see that one is listed and why, check
// it again.

import { close, done, input, is, ok, open, signIn, start, tabTo }
    from './browser.mjs';

await start();

const page = await open();
const reach = (text) => tabTo(page, text);

await signIn(page, input.link);
await page.waitForSelector('header nav');
await reach('Hosts');
await page.keyboard.press('Enter');
await page.waitForSelector('h1 >> text=0 hosts');
ok(true, 'no hosts yet');
await reach('Add hosts');
await page.keyboard.press('Enter');
await page.waitForSelector('#lines');
await reach('Addresses, subnets');
await page.keyboard.type('192.0.2.10\n203.0.113.0/30\n10.0.0.0/8\nnonsense\n');
await page.waitForSelector('tbody tr >> nth=3');
is(await page.locator('tbody tr').count(), 4, 'a preview of each line');
is(await page.locator('tbody .wrong').count(), 2, 'says what will be refused');
ok(/Add 5 hosts/.test(await page.textContent('form button')),
    'and how many are added');
await reach('Add 5 hosts');
await page.keyboard.press('Enter');
await page.waitForSelector('tbody td a >> nth=1');
is(await page.locator('tbody td a').count(), 2, 'what was right is added');

await reach('added');
await page.keyboard.press('Enter');
await page.waitForSelector('h1 .state');
await page.waitForSelector('h1 .state.listed');
ok(true, 'the host is listed, on the page that was open');
await page.waitForSelector('.card');
const card = await page.textContent('.card');
ok(card.includes('spam source') && card.includes('127.0.0.2 (spam)')
    && await page.locator(`.card a[href^="#/lists/"]`).count() === 1,
    'it says where, and why', card);
await page.waitForSelector('.timeline');
await reach('Check now');
await page.keyboard.press('Enter');
await page.waitForSelector('.check-now >> text=Checked.');
ok(true, 'a check on demand is followed to its end');

await reach('Pause');
await page.keyboard.press('Enter');
await page.waitForSelector('h1 .state.paused');
await reach('Undo');
await page.keyboard.press('Enter');
await page.waitForSelector('h1 .state.listed');
ok(true, 'a pause is undone');
await reach('Change');
await page.keyboard.press('Enter');
await reach('Name');
await page.keyboard.press('Control+A');
await page.keyboard.type('<i>new</i> name');
await reach('Save');
await page.keyboard.press('Enter');
await page.waitForSelector('.facts >> text=<i>new</i> name');
ok(true, 'a name is changed, and is text');
await reach('Delete');
await page.keyboard.press('Enter');
await page.waitForSelector('.deleted button');
await page.waitForSelector('.rows tbody tr');
ok(!(await page.textContent('.rows')).includes('192.0.2.10'), 'it is deleted');
await close(page, 'hosts by keyboard');
await done();
