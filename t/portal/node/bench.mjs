// Times of the table of hosts in a browser that is made slower: for
// t/bench/portal.pl, which gives the pages {name, path, row}: the selector of
// its rows.  Each round prints the time until the first row is shown, and the
// times between two frames while it scrolls, in ms.

import { done, input, open, say, start } from './browser.mjs';

const far = 20000;              // pixels of a movement of the wheel
const speed = 40000;            // pixels a second, faster than a hand

// A frame with a row was drawn when the next one begins.
function watch(row) {
    const look = () => {
        if (document.querySelector(row)) {
            requestAnimationFrame(() => {
                globalThis.rowShown(performance.now());
            });
        } else {
            requestAnimationFrame(look);
        }
    };

    requestAnimationFrame(look);
}

// Notes the time between two frames until `enough` is set.
function note() {
    const times = [];
    let most = 0;
    let last = 0;

    function frame(now) {
        most = Math.max(most, document.getElementsByTagName('tr').length);
        last && times.push(now - last);
        last = now;

        if (!globalThis.enough) {
            requestAnimationFrame(frame);
        }
    }

    requestAnimationFrame(frame);
    globalThis.noted = () => ({ times, most });
}

// Whether row n, or one behind it, is near the window.
function isThere([row, n]) {
    const last = [...document.querySelectorAll(row)].at(-1);

    return last.ariaRowIndex ? Number(last.ariaRowIndex) > n
        : last.getBoundingClientRect().top < innerHeight;
}

async function scroll(page, cdp, row) {
    await page.evaluate(note);

    while (!await page.evaluate(isThere, [row, input.rows])) {
        await cdp.send('Input.synthesizeScrollGesture', { x: 600, y: 400,
            yDistance: -far, speed, gestureSourceType: 'mouse' });
    }

    return page.evaluate(() => {
        globalThis.enough = true;
        return globalThis.noted();
    });
}

async function measure({ name, path, row }) {
    const page = await open({ viewport: { width: 1280, height: 800 } });

    await page.context().addCookies([{ url: input.url, ...input.cookie }]);

    // A function that waits in the page would run there in each frame.
    let tell;
    const shown = new Promise((resolve) => {
        tell = resolve;
    });

    await page.exposeFunction('rowShown', (at) => tell(at));
    await page.addInitScript(watch, row);

    const cdp = await page.context().newCDPSession(page);

    await cdp.send('Emulation.setCPUThrottlingRate', { rate: input.rate });
    await page.goto(path);

    const first = await shown;

    await page.waitForTimeout(500);

    const { times, most } = await scroll(page, cdp, row);

    say({ name, first, times, most, faults: page.faults });
    await page.context().close();
}

await start();

for (let i = 0; i < input.rounds; i++) {
    for (const page of input.pages) {
        await measure(page);
    }
}

await done();
