// An owner of a plan by the check tops up the balance, by the keyboard alone.

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
await close(page, 'an owner');
await done();
