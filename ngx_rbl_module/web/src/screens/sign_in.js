// Sign-in: uses the link of the address, or says how to get one.

import { useEffect, useState } from 'preact/hooks';

import { forget, post } from '../api.js';
import { html } from '../html.js';
import { t } from '../text.js';

export function SignIn({ link, onSignedIn }) {
    const [problem, setProblem] = useState('');

    useEffect(() => {
        if (!link) {
            return;
        }

        // the link must not stay in the history of the browser

        history.replaceState(null, '', '#/link');

        post('session/start.json', { link }).then(
            async () => {
                forget();
                await onSignedIn();
                location.hash = '#/';
            },
            (refusal) => setProblem(refusal.status === 403 ? t('link_over')
                : refusal.status === 0 || refusal.status === 503 ? t('away')
                    : t('failed', { why: refusal.message })));
    }, []);

    return html`<main class="sign-in" id="main">
        <h1>${t('title')}</h1>
        ${problem && html`<p class="banner" role="alert">${problem}</p>`}
        <p role="status">${link && !problem ? t('signing_in')
            : t('sign_in_text')}</p>
    </main>`;
}
