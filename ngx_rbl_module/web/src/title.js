// The title of the page, which names its tab in the browser: how many hosts are
// listed, which screen or thing is shown, whose account it is; or `instead`,
// while nobody is signed in.

import { useEffect } from 'preact/hooks';

import { isolate } from './bidi.js';
import { number, t } from './text.js';

const now = { listed: 0, screen: '', thing: '', account: '', instead: '' };

export function setTitle(parts) {
    Object.assign(now, parts);

    const { listed, screen, thing, account, instead } = now;
    const title = [thing ? isolate(thing) : screen, isolate(account)]
        .join(', ');

    document.title = instead || (listed > 0
        ? t('title_listed', { n: number(listed), title }) : title);
}

// The name in the heading of a screen that shows one thing, once it is there.
// place: the address of that screen, or "" for another one.
export function useThing(place) {
    useEffect(() => {
        const look = () => {
            const heading = document.querySelector('#main h1');
            const name = heading && heading.querySelector('bdi');

            heading && watch.disconnect();
            name && setTitle({ thing: name.textContent });
        };
        const watch = new MutationObserver(look);

        setTitle({ thing: '' });

        if (place) {
            watch.observe(document.getElementById('main'),
                { childList: true, subtree: true });
            look();
        }

        return () => watch.disconnect();
    }, [place]);
}
