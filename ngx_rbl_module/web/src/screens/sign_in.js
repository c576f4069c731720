// Sign-in: uses the link of the address, or says how to get one.  It waits for
// a click: a link of somebody else must not sign in unnoticed.

import { useState } from 'preact/hooks';

import { forget, post } from '../api.js';
import { html } from '../html.js';
import { mayPasskey, signInByPasskey } from '../passkey.js';
import { refused } from '../refusal.js';
import { t } from '../text.js';

function reason(refusal) {
    return refusal.status === 403 ? t('link_over') : refused(refusal);
}

export function SignIn({ link, onSignedIn }) {
    const [problem, setProblem] = useState('');
    const [busy, setBusy] = useState(false);

    async function use() {
        setBusy(true);

        try {
            await post('session/start.json', { link });
        } catch (refusal) {
            setProblem(reason(refusal));
            setBusy(false);
            return;
        }

        history.replaceState(null, '', '#/link');
        forget();
        await onSignedIn();
        location.hash = '#/';
    }

    async function byPasskey() {
        setProblem('');
        setBusy(true);

        try {
            await signInByPasskey();
        } catch (refusal) {
            setProblem(refused(refusal));
            setBusy(false);
            return;
        }

        forget();
        await onSignedIn();
    }

    return html`<main class="sign-in" id="main">
        <h1>${t('title')}</h1>
        ${problem && html`<p class="banner" role="alert">${problem}</p>`}
        <p>${t(link ? 'sign_in_link' : 'sign_in_text')}</p>
        ${link && html`<button class="main" disabled=${busy} onClick=${use}>
            ${t('sign_in')}</button>`}
        ${!link && mayPasskey() && html`<button class="main" disabled=${busy}
            onClick=${byPasskey}>${t('sign_in_passkey')}</button>`}
        <p role="status">${busy && t('signing_in')}</p>
    </main>`;
}
