// The account that an operator has opened in this tab, and a banner that says
// so.  It is kept while the page is loaded again.

import { actIn, get, settle } from './api.js';
import { isolate } from './bidi.js';
import { html } from './html.js';
import { setZone, t } from './text.js';

const keep = (sid) => sessionStorage.setItem('account', sid);

// Its id; "": none.
export function kept() {
    return sessionStorage.getItem('account') || '';
}

// The account that a click on this page is to open; an address may come from
// anybody, and the log of an account has who opens it.
let wanted = '';

export const want = (sid) => {
    wanted = sid;
};
export const isWanted = (sid) => sid !== '' && sid === wanted;

// Opens an account.  Returns what `me` says there, or null if there is none.
export async function open(sid) {
    await settle();
    actIn(sid);
    keep(sid);

    try {
        const { data } = await get('me.json');

        setZone(data.account.timezone);
        return data;
    } catch {
        close();
        return null;
    }
}

export function close() {
    actIn('');
    keep('');
    setZone('UTC');
}

// The question before an address opens an account.
export function Ask({ rest, onOpen }) {
    return html`<h1>${t('open_ask')}</h1>
        <p><bdi class="name">${rest}</bdi></p>
        <p>${t('open_ask_why')}</p>
        <p><button class="main" onClick=${() => onOpen(rest)}>
            ${t('open_account')}</button>${' '}
            <a href="#/accounts">${t('cancel')}</a></p>`;
}

export function Opened({ account, onLeave }) {
    return html`<p class="banner" role="note">${t('opened', {
        name: isolate(account.name), account: account.id })}${' '}
        <button onClick=${onLeave}>${t('leave')}</button>${' '}
        <a href="#/status">${t('status_service')}</a></p>`;
}
