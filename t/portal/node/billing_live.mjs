// By the keyboard alone: an owner adds a card on the page of the gateway, comes
// back, and sees it, the payment, the ledger and its table; turns the renewal
// of the plan off and on.

import { close, done, downloaded, input, is, ok, open, signIn, start, tabTo }
    from './browser.mjs';

await start();

const page = await open();
const text = (selector) => page.textContent(selector);

async function press(label) {
    await page.evaluate(() => document.activeElement.blur());
    await tabTo(page, label);
    await page.keyboard.press('Enter');
}

// The pages of the gateway are those of its stand-in.
await page.route('https://pay.example/**', async (route) => {
    const { pathname, search } = new URL(route.request().url());
    const answer = await fetch(`${input.stripe}${pathname}${search}`,
        { redirect: 'manual' });
    const to = answer.headers.get('location');

    await route.fulfill({ contentType: 'text/html', body: to
        ? `<meta http-equiv="refresh" content="0;url=${to}">`
        : await answer.text() });
});

await signIn(page, input.link);
await page.waitForSelector('main .banner');
ok(/The plan is not paid yet/.test(await text('main .banner')),
    'the banner says that the plan is not paid');
await press('Settings');
await press('Billing');
await page.waitForSelector('#ledger');
ok(/no payment source/.test(await text('[aria-labelledby=sources]')),
    'there is no card');

// --- a card ---

await press('Add a payment source');
await page.waitForSelector('h1 >> text=Card');
ok(page.url().startsWith('https://pay.example/c/pay/'),
    'the daemon has a page of the gateway');
await tabTo(page, 'pm_card_visa');
await page.keyboard.press('Enter');
await page.waitForURL(/portal\/#\/billing$/);
const card = page.locator('[aria-labelledby=sources] tr',
    { hasText: '4242' });
await card.waitFor();
ok(/visa/i.test(await card.textContent()), 'the card is shown');
ok((await card.textContent()).includes('Test: moves no money'),
    'as a test card');

// --- the payment ---

await page.waitForSelector('.facts .state >> text=active');
ok(true, 'the plan is paid and active');
await page.waitForFunction(() => !document.querySelector('main > .banner'));
ok(true, 'the banner is gone');
await page.reload();
await page.waitForSelector('#payments ~ table tbody tr');
await page.waitForSelector('#ledger ~ table tbody tr');
is(await page.locator('#payments ~ table tbody tr').count(), 1, 'a payment');
const paid = await text('#payments ~ table tbody tr');
ok(paid.includes('$25.00') && paid.includes('paid'), 'of that amount, paid');
const moved = await text('#ledger ~ table tbody tr');
ok(moved.includes('Plan paid') && moved.includes('$25.00'),
    'the ledger has it');
const saving = page.waitForEvent('download');

await press('All as CSV');
const table = await downloaded(await saving);
const rows = table.trim().split('\r\n');

is(rows.length, 2, 'so has the table');
ok(/cash,revenue,25\.00,/.test(rows[1].replaceAll('"', '')), 'with its amount');

// --- renewal ---

for (const [key, id] of [['ArrowDown', 0], ['ArrowUp', 1]]) {
    await page.evaluate(() => document.activeElement.blur());
    await tabTo(page, id ? 'The plan ends' : 'The plan renews itself');
    await page.keyboard.press(key);
    await press('Save');
    await page.waitForSelector('[role=status] >> text=Saved.');
    await page.reload();
    await page.waitForSelector('#ledger ~ table');
    ok(await page.isChecked(`#renew-${id}`),
        `renewal is ${id ? 'on' : 'off'}`);
}

page.faults = page.faults.filter((fault) => !fault.includes('pay.example'));
await close(page, 'an owner');
await done();
