// The frame around each screen: whose portal it is, the menu with the tabs of
// its items, a field that looks an address up, and who is signed in.

import { useEffect, useState } from 'preact/hooks';

import { get } from './api.js';
import { Mark, useBrand } from './brand.js';
import { html } from './html.js';
import { Deleted } from './later.js';
import { lazy } from './lazy.js';
import { isOperator, itemOf, menu, tabsOf } from './menu.js';
import { Opened } from './opened.js';
import { Service } from './service.js';
import { t } from './text.js';
import { setTitle, useThing } from './title.js';

const BillBanner = lazy(() => import('./bill_banner.js'), 'BillBanner',
    'billing');
const soon = 1000;              // ms; the screen has its own numbers first
const pause = 30000;

const nameOf = (tab) => t(`tab_${tab}`) || t(tab);

function Link({ to, current, text, onClick }) {
    return html`<a href="#/${to}" aria-current=${current || null}
        onClick=${onClick}>${text}</a>`;
}

// Looks an address up: a check of it, or its page if it is a host.  Viewers
// start no checks; they find hosts.
function LookUp({ user, onDone }) {
    const viewer = user.role === 'viewer';
    const [value, setValue] = useState('');

    async function submit(event) {
        const text = value.trim();

        event.preventDefault();

        if (text === '') {
            return;
        }

        setValue('');
        onDone();

        if (viewer) {
            location.hash = `#/hosts?text=${encodeURIComponent(text)}`;
        } else {
            (await import('./check_runs.js')).lookUp(user.id, text,
                Object.hasOwn(menu.screens, 'range'));
        }
    }

    const label = t(viewer ? 'find_host' : 'look_up');

    return html`<form class="find" role="search" aria-label=${label}
        onSubmit=${submit}>
        <input id="look-up" type="search" aria-label=${label}
            placeholder=${label} value=${value} required autocomplete="off"
            spellcheck=${false} autocapitalize="off"
            onInput=${(e) => setValue(e.target.value)} /></form>`;
}

// The user, and a small menu that opens below.
function Who({ user, onClick, onSignOut }) {
    const shut = () => {
        document.getElementById('who').hidePopover();
        onClick();
    };

    return html`<div class="who">
        <button popovertarget="who">
            <span class="unseen">${t('signed_in_as')}${' '}</span>
            <bdi>${user.mail}</bdi></button>
        <div id="who" popover="auto">
            <a href="#/passkeys" onClick=${shut}>${t('my_sign_in')}</a>
            <button onClick=${() => onSignOut(false)}>${t('sign_out')}</button>
        </div>
    </div>`;
}

// In a small window the tabs scroll sideways: the current one is shown.
function Tabs({ item, tabs, tab }) {
    useEffect(() => {
        document.querySelector('.tabs [aria-current]')?.scrollIntoView({
            block: 'nearest', inline: 'nearest' });
    }, [tab]);

    return html`<nav class="tabs" aria-label=${t(item)}>
        ${tabs.map((one) => html`<${Link} key=${one} to=${one}
            text=${nameOf(one)} current=${one === tab && 'page'} />`)}</nav>`;
}

// How many hosts are listed, for the title.
function useListed(account, may) {
    useEffect(() => {
        const look = () => document.visibilityState === 'visible'
            && get('counts.json').then(({ data: { listed } }) =>
                setTitle({ listed }), () => {});
        const first = may && setTimeout(look, soon);
        const timer = may && setInterval(look, pause);

        setTitle({ listed: 0 });

        return () => {
            clearTimeout(first);
            clearInterval(timer);
        };
    }, [account, may]);
}

// opened: the account that an operator has opened, or null.  mine: the menu.
// tab: the tab that is current.  place: where a screen of one thing is, or "".
export function Frame({ me, opened, mine, tab, place, onLeave, onSignOut,
    onDraw, children })
{
    const there = opened || me;
    const { user, account } = there;
    const { name: brand } = useBrand();
    const { bill } = account;
    const [open, setOpen] = useState(false);
    const shut = () => setOpen(false);
    const name = isOperator(there) ? t('operator') : account.name;
    const item = itemOf(mine, tab);
    const tabs = item ? tabsOf(mine, item, there) : [];
    const items = Object.keys(mine.items).map((one) => [one,
        tabsOf(mine, one, there)[0]]).filter(([, first]) => first);

    useListed(account.id, mine === menu);
    useEffect(() => setTitle({ screen: nameOf(tab), account: name }),
        [tab, name]);
    useThing(place);

    return html`
        <a class="skip" href="#main">${t('skip')}</a>
        <header class=${open ? 'open' : ''}>
            <a class="brand" href="#/" onClick=${shut}>
                <${Mark} /><span>${brand && html`<small><bdi>${brand}</bdi>
                </small>`}<strong><bdi>${name}</bdi></strong></span></a>
            <button class="menu" aria-expanded=${`${open}`}
                onClick=${() => setOpen(!open)}>${t('menu')}</button>
            <nav aria-label=${t('menu')}>${items.map(([one, first]) => html`
                <${Link} key=${one} to=${first} text=${t(one)} onClick=${shut}
                    current=${one === item && (tab === first ? 'page'
                        : 'true')} />`)}</nav>
            ${mine === menu && html`<${LookUp} user=${user} onDone=${shut} />`}
            <${Who} user=${me.user} onClick=${shut} onSignOut=${onSignOut} />
        </header>
        ${tabs.length > 1 && html`<${Tabs} item=${item} tabs=${tabs}
            tab=${tab} />`}
        <main id="main" tabindex="-1">
            <${Deleted} onDraw=${onDraw} />
            <${Service} operator=${isOperator(me)} />
            ${opened && html`<${Opened} account=${account}
                onLeave=${onLeave} />`}
            ${bill && bill.state !== 'active' && html`<${BillBanner}
                bill=${bill} owner=${user.role === 'owner'} />`}
            ${children}</main>`;
}
