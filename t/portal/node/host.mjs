// A host: cards by weight, bars of a period, lists by reason, who is notified.

import { axe, close, done, input, is, ok, open, signIn, start }
    from './browser.mjs';

await start();

const clean = (text) => text.replace(/\s+/g, ' ').trim();

for (const { link, locale, ...says } of input.who) {
    const page = await open({ locale, viewport: { width: 1440, height: 900 } });
    const texts = async (selector) => (await page.locator(selector)
        .allTextContents()).map(clean);

    await signIn(page, link);
    await page.goto(`/portal/#/host/${input.host}`);
    await page.waitForSelector('.card');
    await page.waitForSelector('.alerts');
    await page.waitForSelector('.timeline');
    is((await texts('.card .weight')).join(), says.weights,
        `${locale}: the heaviest listing is first`);
    is(await page.getAttribute('.card h3 a', 'href'), `#/lists/${input.heavy}`,
        `${locale}: a card leads to its list`);

    const card = clean(await page.textContent('.card >> nth=1'));

    ok(card.includes('why <b>') && card.includes('127.0.0.2'),
        `${locale}: what the list said is text`, card);
    ok(await page.locator('.card >> nth=0').evaluate((e) =>
        e.getBoundingClientRect().bottom <= innerHeight),
    `${locale}: what to do is seen without scrolling`);

    await page.waitForSelector('.card >> text=a <b>move');

    for (const i of [0, 1]) {
        const said = clean((await page.textContent(`.card >> nth=${i}`))
            .replace(/[\u2066-\u2069]/g, ''));

        ok(says.muted.every((text) => said.includes(text) === (i === 1)),
            `${locale}: whether listing ${i} is muted`, said);
    }

    const alerts = await texts('.alerts li');

    says.alerts.forEach((text, i) => ok(alerts[i].includes(text),
        `${locale}: who is notified by group ${i}`, alerts[i]));

    is(clean(await page.textContent('#answers')), says.answered,
        `${locale}: how many lists answered`);

    const parts = await texts('section[aria-labelledby=answers] summary');

    says.silent.forEach((text, i) => ok(parts[i].startsWith(text),
        `${locale}: lists without an answer, reason ${i}`, parts[i]));
    is(parts[2], says.clear, `${locale}: how many lists are clear`);
    is(await page.locator('section[aria-labelledby=answers] table')
        .first().isVisible(), false, `${locale}: their tables are closed`);
    await page.click('section[aria-labelledby=answers] summary >> nth=0');
    is(await page.locator('section[aria-labelledby=answers] details[open] '
        + 'tbody tr').count(), 2, `${locale}: which lists these are`);

    is(await page.locator('.timeline li').count(), 3,
        `${locale}: each list that ever listed it has bars`);
    is(await page.locator('.timeline .span').count(), 3,
        `${locale}: a bar for each listing of 90 days`);
    await page.click(`.ranges >> text=${says.day}`);
    await page.waitForFunction(() => document.querySelectorAll(
        '.timeline .span').length === 2);
    ok(page.url().endsWith('?days=1'),
        `${locale}: the period is in the address`);
    await page.click('section[aria-labelledby=history] summary');
    ok((await texts('section[aria-labelledby=history] tbody tr')).some((row) =>
        row.includes(says.after)), `${locale}: how long a listing stood`);
    await page.evaluate(() => document.querySelectorAll('main details')
        .forEach((e) => e.setAttribute('open', '')));
    await axe(page, locale);
    await close(page, locale);
}

await done();
