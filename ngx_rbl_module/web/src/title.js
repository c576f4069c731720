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

// Names the thing that a screen shows, once it is known.
export function useThing(thing = '') {
    useEffect(() => {
        setTitle({ thing });

        return () => setTitle({ thing: '' });
    }, [thing]);
}
