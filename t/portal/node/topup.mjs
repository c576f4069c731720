// An owner of a plan by the check tops up the balance, and chooses when it is
// recharged, by the keyboard alone.

import { close, done, is, input, ok, open, signIn, start, tabTo }
    from './browser.mjs';

await start();

const page = await open();
const text = (selector) => page.textContent(selector);

async function type(label, value) {
    await page.evaluate(() => document.activeElement.blur());
    await tabTo(page, label);
    await page.keyboard.press('Control+A');
    await page.keyboard.type(value);
    await page.keyboard.press('Enter');
}

async function press(label) {
    await page.evaluate(() => document.activeElement.blur());
    await tabTo(page, label);
    await page.keyboard.press('Enter');
}

await signIn(page, input.owner);
await press('Settings');
await press('Billing');
await page.waitForSelector('#topup');

for (const wrong of ['0', '0.49', '10000.01', '-5', '1e3', '']) {
    await type('Amount (USD)', wrong);
    await page.waitForSelector('#topup-amount-error');
    ok((await text('#topup-amount-error')).includes('from $0.50 to'),
        `"${wrong}" is refused`);
}

await type('Amount (USD)', '25,50');
await page.waitForSelector('text=Charge $25.50 now?');
is(await page.locator('#topup-amount-error').count(), 0,
    'a right amount is asked for');
await press('Cancel');
await page.waitForSelector('button >> text=Top up');
is(await page.inputValue('#topup-amount'), '25,50',
    'what was typed stays after the question');
await press('Top up');
await press('Charge it');
await page.waitForSelector('[role=status] >> text=The payment is made soon.');
is(await page.inputValue('#topup-amount'), '',
    'the form is empty after the request');

// --- choices ---

ok((await text('.facts')).includes('Balance'), 'the balance is shown');
is(await page.locator('#renew-0').count(), 0,
    'a plan by the check has no renewal');

for (const [wrong, says] of [['-5', /without a sign/],
    ['1e3', /without a sign/], ['5 EUR', /without a sign or a currency/],
    ['\u20ac5', /US dollars/],
    ['1'.repeat(30), /US dollars/], ['1.005', /US dollars/],
    ['1,000', /US dollars/]])
{
    await type('Recharge when', wrong);
    await page.waitForSelector('#falls_below-error');
    ok(says.test(await text('#falls_below-error')),
        `${encodeURI(wrong)} is refused`);
    is(await page.getAttribute('#falls_below', 'aria-invalid'), 'true',
        'in its field');
    is(await page.inputValue('#falls_below'), wrong, 'and stays there');
    await page.waitForFunction(() => document.activeElement.id
        === 'falls_below');
}

await type('Recharge to', '5.00');
await type('Recharge when', '5');
await page.waitForSelector('#recharge_to-error');
ok(/more than the amount below/.test(await text('#recharge_to-error')),
    'the higher amount must be more');
is(await page.locator('#falls_below-error').count(), 0,
    'the other field is right now');
await type('Tell us', '1');
await type('Recharge to', '25,50');
await page.waitForSelector('[role=status] >> text=Saved.');
is(await page.locator('.wrong').count(), 0, 'all is right');
await page.reload();
await page.waitForSelector('#recharge_to');
is(await page.inputValue('#recharge_to'), '25.50', 'and is kept');
await close(page, 'an owner');
await done();
