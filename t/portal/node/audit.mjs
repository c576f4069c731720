// An admin reads the audit log by keyboard: finds a change, sees only those of
// one person, goes to the host and from there to its changes.

import { close, done, input, is, ok, open, signIn, start, tabTo }
    from './browser.mjs';

await start();

const page = await open();

await signIn(page, input.link);

for (const name of ['Settings', 'Audit log']) {
    await tabTo(page, name);
    await page.keyboard.press('Enter');
}

await page.waitForSelector('h1 >> text=Audit log');
await page.waitForSelector('tr >> text=signed in');

const row = page.locator('tr', { hasText: 'added host' }).first();

ok((await row.textContent()).includes(input.mail), 'a change names its author');
ok((await row.textContent()).includes('192.0.2.7'), 'and the host');
is(await page.locator('tr', { hasText: 'canary' }).count(), 0, 'no secret');
await page.locator('tr', { hasText: 'added contact' }).first()
    .locator('text=not recorded').waitFor();
ok(true, 'a secret value is not recorded');

await row.locator('a[href^="#/audit/who/"]').focus();
await page.keyboard.press('Enter');
await page.waitForSelector('text=Only changes by one user');
is(await page.locator('tbody tr', { hasText: 'rblctl' }).count(), 0,
    'only those of one user');
await tabTo(page, 'Show all changes');
await page.keyboard.press('Enter');
await page.waitForSelector('tbody tr >> text=rblctl');

await page.setViewportSize({ width: 1440, height: 900 });
{
    const { y, height } = await page.locator('tbody tr').first().boundingBox();
    const banner = await page.locator('.service').boundingBox();
    const above = y - banner.height - 16;       // no daemon runs

    ok(above + 20 * height <= 900, '20 changes are seen without scrolling',
        `${above} + 20 * ${height}`);
}

await page.locator('a[href^="#/host/"]').first().focus();
await page.keyboard.press('Enter');
await page.waitForSelector('h1 >> text=192.0.2.7');
await page.locator('text=Who changed this?').focus();
await page.keyboard.press('Enter');
await page.waitForSelector('text=Only changes of one object');
await page.waitForSelector('tbody tr');
is(await page.locator('tbody tr').count(), 1, 'the changes of the host');
await close(page, 'an admin');

const other = await open();

await signIn(other, input.viewer);
await other.click('nav >> text=Settings');
await other.waitForSelector('nav.tabs');
is(await other.locator('nav >> text=Audit log').count(), 0,
    'a viewer does not see it');
await close(other, 'a viewer');
await done();
