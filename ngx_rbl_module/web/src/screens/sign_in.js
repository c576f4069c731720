// Sign-in: uses the link of the address, or offers the doors that there are: a
// link by mail, and the identity that the server vouches for.  A link waits for
// a click: one of somebody else must not sign in unnoticed.

import { useEffect, useState } from 'preact/hooks';

import { forget, post } from '../api.js';
import { Mark, useBrand } from '../brand.js';
import { Field, Form } from '../form.js';
import { html } from '../html.js';
import { Problem } from '../parts.js';
import { mayPasskey, signInByPasskey } from '../passkey.js';
import { refused } from '../refusal.js';
import { t } from '../text.js';
import { setTitle } from '../title.js';

// Whether the page may sign in without a click: only once, and never after the
// user has signed out.
let alone = true;

export function stay() {
    alone = false;
}

function reason(refusal, link) {
    return link && refusal.status === 403 ? t('link_over') : refused(refusal);
}

function ByMail() {
    const [mail, setMail] = useState('');
    const [sent, setSent] = useState(false);

    if (sent) {
        return html`<p role="status">${t('mail_sent', { mail })}</p>`;
    }

    return html`<${Form} button=${t('mail_link')} onDone=${() => setSent(true)}
        call=${() => post('session/link.json', { mail })}>
        <${Field} id="sign-in-mail" label=${t('mail')} type="email" required
            autocomplete="email" value=${mail} onChange=${setMail}
            help=${t('mail_link_help')} />
    <//>`;
}

// Several accounts have the user.
function Choice({ accounts, onChoose }) {
    return html`<h2>${t('choose_account')}</h2>
        <ul class="choices">${accounts.map(({ id, name }) => html`<li key=${id}>
            <button onClick=${() => onChoose(id)}><bdi>${name}</bdi></button>
        </li>`)}</ul>`;
}

// again: a session has ended, and what was typed waits.  back: the address from
// there on.
export function SignIn({ link, again, back, doors, onSignedIn }) {
    const [problem, setProblem] = useState('');
    const [busy, setBusy] = useState(false);
    const [accounts, setAccounts] = useState(null);
    const { name: brand } = useBrand();
    const vouched = !link && doors.includes('identity');

    async function enter(call) {
        setBusy(true);
        setProblem('');
        stay();

        try {
            const { data } = await call();

            if (data.accounts) {
                setAccounts(data.accounts);
                setBusy(false);
                return;
            }
        } catch (refusal) {
            setProblem(reason(refusal, link));
            setBusy(false);
            return;
        }

        if (link) {
            history.replaceState(null, '', '#/link');
        }

        forget();
        await onSignedIn();
        location.hash = back;
    }

    const use = (fields) => enter(() => post('session/start.json', fields));

    useEffect(() => {
        if (vouched && alone) {
            use({});
        }

        return () => setTitle({ instead: '' });
    }, []);
    useEffect(() => setTitle({ instead: `${t('sign_in')}, ${
        brand || t('title')}` }), [brand]);

    return html`<main class="sign-in" id="main">
        <div class="brand"><${Mark} />
            <h1>${brand ? html`<bdi>${brand}</bdi>` : t('title')}</h1></div>
        ${brand && html`<p class="quiet">${t('title')}</p>`}
        <${Problem} text=${problem} />
        ${!vouched && html`<p>${t(link ? 'sign_in_link'
            : again ? 'sign_in_again' : 'sign_in_text')}</p>`}
        ${accounts && html`<${Choice} accounts=${accounts}
            onChoose=${(account) => use({ account })} />`}
        ${(link || (vouched && !accounts)) && html`<button class="main"
            disabled=${busy} onClick=${() => use(link ? { link } : {})}>
            ${t('sign_in')}</button>`}
        ${!link && mayPasskey() && html`<button class="main" disabled=${busy}
            onClick=${() => enter(signInByPasskey)}>
            ${t('sign_in_passkey')}</button>`}
        <p role="status">${busy && t('signing_in')}</p>
        ${!link && doors.includes('mail') && html`<${ByMail} />`}
    </main>`;
}
