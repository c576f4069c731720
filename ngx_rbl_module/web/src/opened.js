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

export function Opened({ account, onLeave }) {
    return html`<p class="banner" role="note">${t('opened', {
        name: isolate(account.name), account: account.id })}${' '}
        <button onClick=${onLeave}>${t('leave')}</button></p>`;
}
