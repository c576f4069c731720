// An owner uses the page of billing by the keyboard alone; a viewer sees only
// the banner; the owner of an account without a bill sees nothing.

import { close, done, downloaded, input, is, ok, open, signIn, start, tabTo }
    from './browser.mjs';

await start();

const page = await open({ expected: /status of 40[09]/ });
const text = (selector) => page.textContent(selector);

async function press(label) {
    await tabTo(page, label);
    await page.keyboard.press('Enter');
}

await signIn(page, input.owner);
ok(/The plan expired on .*; checks stop on /.test(await text('main .banner')),
    'the banner says that the plan expired');
await press('Settings');
await press('Billing');
await page.waitForSelector('h1 >> text=Billing');
await page.waitForSelector('#ledger ~ table');
ok((await text('.facts')).includes('$29.00 a month'), 'the plan is shown');
ok(/Next plan\s*Small, \$9.00 a year, from /.test(await text('.facts')),
    'the plan that begins later is shown');

// --- pay now ---

ok((await text('[aria-labelledby=open-payment]')).includes('card_declined'),
    'the payment that failed is shown with its reason');
await press('Pay now');
await page.waitForSelector('[role=status] >> text=The payment is made');
ok(true, 'another attempt is asked for');
await press('Pay now');
await page.waitForSelector('[role=alert] >> text=within the last minute');
ok(true, 'a second one must wait');

// --- choices ---

is(await page.locator('#falls_below, #recharge_to, #alert').count(), 0,
    'a plan by the period has no amounts of a balance');
ok(!(await text('.facts')).includes('Balance'), 'and shows no balance of 0');
await page.evaluate(() => document.activeElement.blur());
await tabTo(page, 'The plan renews itself');
await page.keyboard.press('ArrowDown');
await press('Save');
await page.waitForSelector('[role=status] >> text=Saved.');
is(await page.locator('.wrong').count(), 0, 'all is right');
await page.reload();
await page.waitForSelector('#ledger ~ table');
ok(await page.isChecked('#renew-0'), 'the plan ends');

// --- sources ---

const row = (name) => page.locator('tr', { hasText: name });

await row('4242').locator('text=Charge this one').focus();
await page.keyboard.press('Enter');
await row('4242').locator('text=chosen').waitFor();
ok((await row('4242').textContent()).includes('Test: moves no money'),
    'a test card says so');
ok(true, 'a source is chosen');
await row('amex').locator('text=Delete').focus();
await page.keyboard.press('Enter');
await page.keyboard.press('Tab');
await page.keyboard.press('Enter');
await row('amex').waitFor({ state: 'detached' });
ok(true, 'the other is removed');

// The daemon is not there: its part is played here.
const gateway = 'https://pay.example/session#fragment';
let url = 'javascript:alert(1)';
let visited = '';

await page.route('**/1/billing.json', async (route) => {
    const answer = await route.fetch();
    const body = await answer.json();

    if (body.data && body.data.setup) {
        Object.assign(body.data.setup, { state: 'open', url });
    }

    await route.fulfill({ status: answer.status(),
        contentType: 'application/json', body: JSON.stringify(body) });
});
await page.route('https://pay.example/**', (route) => {
    visited = route.request().url();
    route.fulfill({ contentType: 'text/html', body: '<h1>Card</h1>' });
});
await press('Add a payment source');
await page.waitForSelector('text=Asking the payment provider');
await new Promise((resolve) => setTimeout(resolve, 2500));
ok(page.url().includes('/portal/'), 'no other URL than one of https is opened');
url = gateway;
await page.waitForSelector('h1 >> text=Card');
is(visited.split('#')[0], gateway.split('#')[0],
    'the page goes to the gateway');
await page.goBack();
await page.unroute('**/1/billing.json');
await page.goto('/portal/#/billing');
await page.waitForSelector('#ledger ~ table');

// --- payments and ledger ---

is(await page.locator('#payments ~ table tbody tr').count(), 10,
    'a page of payments');
await press('Next page');
await page.waitForFunction(() => document.querySelectorAll(
    '#payments ~ table tbody tr').length === 2);
ok(true, 'the next one');
is(await page.locator('#ledger ~ table tbody tr').count(), 20,
    'a page of the ledger');
await press('Older');
await page.waitForFunction(() => document.querySelectorAll(
    '#ledger ~ table tbody tr').length === 5);
ok(true, 'older movements');

const saving = page.waitForEvent('download');

await press('All as CSV');

const saved = await saving;
const table = await downloaded(saved);

is(saved.suggestedFilename(), 'ledger.csv', 'the table is saved');
is(table.trim().split('\r\n').length, 26, 'with all movements');
ok(table.includes('"\'=1+25"') && !table.includes('"=1'),
    'which a spreadsheet does not run');
page.faults = page.faults.filter((fault) => !fault.includes('pay.example'));
await close(page, 'the owner');

// --- others ---

for (const [who, banner] of [['viewer', 1], ['none', 0]]) {
    const other = await open();

    await signIn(other, input[who]);
    await other.waitForSelector('main h1');
    await other.waitForFunction(() => !document.querySelector('.loading'));
    is(await other.locator('main .banner').count(), banner,
        `${who}: the banner`);
    await other.click('nav >> text=Settings');
    await other.waitForSelector('nav.tabs');
    is(await other.locator('nav >> text=Billing').count(), 0,
        `${who}: no billing in the menu`);
    banner && ok((await other.textContent('main .banner')).includes(
        'Ask an owner'), 'whom to ask');
    await close(other, who);
}

await done();
