// Sign-in: uses the link of the address, or says how to get one.  It waits for
// a click: a link of somebody else must not sign in unnoticed.

import { useState } from 'preact/hooks';

import { forget, post } from '../api.js';
import { html } from '../html.js';
import { t } from '../text.js';

function reason(refusal) {
    return refusal.status === 403 ? t('link_over')
        : refusal.status === 0 || refusal.status === 503 ? t('away')
            : t('failed', { why: refusal.message });
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

    return html`<main class="sign-in" id="main">
        <h1>${t('title')}</h1>
        ${problem && html`<p class="banner" role="alert">${problem}</p>`}
        <p>${t(link ? 'sign_in_link' : 'sign_in_text')}</p>
        ${link && html`<button class="main" disabled=${busy} onClick=${use}>
            ${t('sign_in')}</button>`}
        <p role="status">${busy && t('signing_in')}</p>
    </main>`;
}
