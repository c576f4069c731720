// An owner adds a user, whose link works in another browser; changes the role;
// deletes the user.

import { close, done, input, is, ok, open, signIn, start } from './browser.mjs';

await start();

const page = await open();

await signIn(page, input.link);
await page.waitForSelector('header nav');
await page.click('nav >> text=Settings');
await page.click('nav >> text=Users');
await page.fill('#mail', 'second@example.test');
await page.press('#mail', 'Enter');
await page.waitForSelector('code');

const link = await page.textContent('code');
const other = await open({ expected: /status of 40[13]/ });

await signIn(other, link);
await other.waitForSelector('header nav');
ok((await other.textContent('.who')).includes('second@example.test'),
    'the link signs the new user in');
await other.click('nav >> text=Settings');
await other.waitForSelector('nav.tabs');
is(await other.locator('nav >> text=Users').count(), 0,
    'a viewer does not see the users');
await other.click('nav >> text=Hosts');
await other.waitForSelector('h1 >> text=/^[0-9]+ hosts?$/');
is(await other.locator('text=Add hosts').count(), 0, 'nor forms');

const row = page.locator('tr', { hasText: 'second@example.test' });

is((await page.locator('tr', { hasText: 'not confirmed yet' })
    .allTextContents()).map((text) => text.includes('second@example.test'))
    .join(), 'true', 'only the user whom the owner added has not confirmed');

await row.locator('select').selectOption('admin');
await page.waitForSelector('tr:has-text("second") select >> nth=0');
await other.reload();
await other.waitForSelector('text=Hosts');
await other.click('nav >> text=Hosts');
await other.waitForSelector('text=Add hosts');
ok(true, 'a new role counts at once');

await row.locator('text=Delete').click();
await row.locator('text=Delete it').click();
await row.waitFor({ state: 'detached' });
await other.reload();
await other.waitForSelector('.sign-in');
ok(true, 'a user who is deleted is signed out');
await close(other, 'the second user');

const mine = page.locator('tr', { hasText: input.mail });

await mine.locator('select').selectOption('viewer');
await page.waitForSelector('[role=alert]');
ok((await page.textContent('[role=alert]')).includes('only owner'),
    'the only owner stays one');
is(page.faults.filter((fault) => !/status of 409/.test(fault)).join(), '',
    'nothing else on the console');
await page.click('nav >> text=Sign-in');
await page.click('text=Sign out everywhere');
await page.waitForSelector('.sign-in');
ok(true, 'signed out everywhere');
await done();
