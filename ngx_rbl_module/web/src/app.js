// The portal: who is signed in, and which screen is shown.

import { render } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

import { actIn, begin, forget, get, post, settle, whenSignedOut }
    from './api.js';
import { Frame } from './frame.js';
import { html } from './html.js';
import { find, isOfOperators, isOperator, menu, operatorMenu }
    from './menu.js';
import { Ask, close, isWanted, kept, open, want } from './opened.js';
import { firstPaths } from './paths.js';
import { route, useHash } from './route.js';
import { SignIn, stay } from './screens/sign_in.js';
import { lang, messagesLoaded, setZone, t } from './text.js';

const retry = 5000;             // ms

// What `me` says of the user, and of the account that an operator has opened.
function useMe() {
    const [me, setMe] = useState(undefined);
    const [opened, setOpened] = useState(null);
    const [away, setAway] = useState(false);
    const [sure, setSure] = useState(true);

    async function load() {
        try {
            actIn('');
            const { data } = await get('me.json');

            setZone(data.account.timezone);
            setOpened(isOperator(data) && kept() ? await open(kept()) : null);
            setMe((old) => {
                if (old && old.user.id !== data.user.id) {
                    forget();
                }

                return data;
            });
            setAway(false);
            setSure(true);
            return true;
        } catch (refusal) {
            if (refusal.status === 401) {
                setMe((old) => old || null);
                setSure(true);
            } else {
                setAway(true);
                setTimeout(load, retry);
            }

            return false;
        }
    }

    // A page that comes back from the browser's cache shows nothing before the
    // session is known to live.
    useEffect(() => {
        const shown = (event) => {
            if (event.persisted) {
                setSure(false);
                load();
            }
        };

        addEventListener('pageshow', shown);

        return () => removeEventListener('pageshow', shown);
    }, []);

    return { me, setMe, opened, setOpened, away, sure, load };
}

// While `over`, looks whether somebody signed in in another tab.
function useReturn(over, load) {
    useEffect(() => {
        const look = () => document.visibilityState === 'visible' && load();

        if (!over) {
            return undefined;
        }

        addEventListener('focus', look);
        document.addEventListener('visibilitychange', look);

        return () => {
            removeEventListener('focus', look);
            document.removeEventListener('visibilitychange', look);
        };
    }, [over]);

    // Screens load again at once what the session's end kept from them.
    useEffect(() => {
        if (!over) {
            document.dispatchEvent(new Event('visibilitychange'));
        }
    }, [over]);
}

// When a session ends, what was shown is hidden, and comes back if the same
// user signs in again, here or in another tab: nothing that was typed is lost.
function App() {
    const hash = useHash();
    const { me, setMe, opened, setOpened, away, sure, load: loadMe }
        = useMe();
    const [over, setOver] = useState(false);
    const [doors, setDoors] = useState([]);
    const [, draw] = useState(0);
    const place = useRef(hash);
    const isLink = route(hash).screen === 'link';
    const onDraw = () => draw((n) => n + 1);

    place.current = isLink ? place.current : hash;

    const { screen, rest, query } = route(place.current);
    const asked = screen === 'open' && me && isOperator(me);
    const opening = asked && isWanted(rest);

    async function load() {
        if (await loadMe()) {
            setOver(false);
        }
    }

    async function enter(sid) {
        const found = await open(sid);

        want('');
        setOpened(found);
        location.replace(found ? '#/overview' : '#/accounts');
    }

    async function leave() {
        await settle();
        close();
        setOpened(null);
        location.hash = '#/accounts';
    }

    async function signOut(everywhere) {
        stay();
        await post('session/end.json', { everywhere: everywhere ? 1 : 0 })
            .catch(() => {});
        forget();
        close();
        setOpened(null);
        setMe(null);
        location.hash = '#/';
        await load();                   // which says how to sign in
    }

    useLayoutEffect(() => {
        document.documentElement.lang = lang;
        whenSignedOut((refusal) => {
            setDoors(refusal.doors);
            setOver(true);
        });

        if (!isLink) {
            load();
        }
    }, []);

    useEffect(() => {
        if (opening) {
            enter(rest);
        }
    }, [opening, rest]);

    useReturn(over, load);
    useLayoutEffect(() => scrollTo(0, 0), [screen, rest]);

    if ((me === undefined && !isLink) || (opening && !over)) {
        return html`<p class="loading" role="status">
            ${t(away ? 'away' : 'loading')}</p>`;
    }

    const mine = me && isOperator(me) && !opened ? operatorMenu : menu;
    const [Screen, tab] = asked ? [Ask, 'accounts'] : find(screen,
        me && isOperator(me) && isOfOperators(screen) ? operatorMenu : mine);
    const there = opened || me;
    const signIn = isLink || over || !me;
    const hidden = isLink || over || !sure;
    const back = screen === 'link' || !place.current ? '#/' : place.current;

    return html`
        ${!signIn && !sure && html`<p class="loading" role="status">
            ${t(away ? 'away' : 'loading')}</p>`}
        ${signIn && html`<${SignIn} key=${hash} again=${!!me}
            link=${isLink ? route(hash).rest : ''} doors=${doors}
            onSignedIn=${load} back=${back} />`}
        ${me && html`<div key=${me.user.id} hidden=${hidden}>
            <${Frame} me=${me} opened=${opened} mine=${mine} tab=${tab}
                place=${rest && `${there.account.id}/${screen}/${rest}`}
                onLeave=${leave} onSignOut=${signOut} onDraw=${onDraw}>
                <${Screen} key=${`${there.account.id}/${rest}`} me=${there}
                    rest=${rest} query=${query} reload=${load}
                    onOpen=${enter} onSignOut=${signOut} />
            <//></div>`}`;
}

// Loads the first screen and its data at the same time as the messages.
function loadFirst({ screen, query }) {
    begin('me.json');

    if (!kept()) {
        Object.hasOwn(firstPaths, screen)
            && firstPaths[screen](query).forEach(begin);
        Object.hasOwn(menu.screens, screen)
            && menu.screens[screen].load().catch(() => {});
    }
}

const start = route(location.hash);

if (start.screen !== 'link') {
    loadFirst({ ...start, screen: start.screen || 'overview' });
}

history.scrollRestoration = 'manual';
await messagesLoaded;
render(html`<${App} />`, document.getElementById('app'));
