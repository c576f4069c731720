// The tokens of an application.

import { useRef, useState } from 'preact/hooks';

import { When } from '../parts.js';
import { Made } from './app_new.js';
import { html } from '../html.js';
import { Outcome, useSend } from '../send.js';
import { t } from '../text.js';

// A token is revoked by a second press, on a button that takes the place of the
// first one.
function Token({ app, token, may, end, onEnded }) {
    const [sure, setSure] = useState(false);
    const { digits } = token;

    async function press() {
        if (!sure) {
            setSure(true);
            return;
        }

        setSure(false);

        if (await end.send(`token/revoke/${app.id}.json`, { token: digits },
            t('token_revoked', { digits })))
        {
            onEnded();
        }
    }

    return html`<tr>
        <th scope="row" data-label=${t('digits')}><code>${digits}</code></th>
        <td data-label=${t('created')}><${When} text=${token.created} /></td>
        ${may && html`<td data-label=${t('action')}>
            <button type="button" class=${sure ? 'danger' : ''}
                aria-label=${t(sure ? 'token_sure' : 'token_revoke',
                    { digits })}
                onBlur=${() => setSure(false)} onClick=${press}>
                ${t(sure ? 'sure' : 'revoke')}</button></td>`}
    </tr>`;
}

function Rotate({ app, onMade }) {
    const [keep, setKeep] = useState(true);
    const rotate = useSend();

    async function submit(event) {
        event.preventDefault();

        const body = await rotate.send(`app/rotate/${app.id}.json`,
            { keep: keep ? 1 : 0 });

        if (body) {
            onMade(body.data);
        }
    }

    return html`<form onSubmit=${submit}>
        <p><label><input type="checkbox" checked=${keep}
            onChange=${(e) => setKeep(e.target.checked)} />
            ${' '}${t('token_keep')}</label></p>
        <p><button disabled=${rotate.busy}>${t('token_new')}</button></p>
        <${Outcome} of=${rotate} />
    </form>`;
}

export function Tokens({ me, app, may, onDone }) {
    const [made, setMade] = useState(null);
    const head = useRef();
    const end = useSend();

    // the focus must not be lost with the button

    function onEnded() {
        head.current.focus();
        onDone();
    }

    function onMade(data) {
        setMade(data);
        onDone();
    }

    return html`<section aria-labelledby="app-tokens">
        <h2 id="app-tokens" tabindex="-1" ref=${head}>${t('tokens')}</h2>
        <p>${t(app.tokens.length > 0 ? 'tokens_text' : 'no_tokens_text')}</p>
        ${app.tokens.length > 0 && html`<table>
            <thead><tr>
                <th scope="col">${t('digits')}</th>
                <th scope="col">${t('created')}</th>
                ${may && html`<th scope="col">${t('action')}</th>`}
            </tr></thead>
            <tbody>${app.tokens.map((token) => html`
                <${Token} key=${token.digits} app=${app} token=${token}
                    may=${may} end=${end} onEnded=${onEnded} />`)}</tbody>
        </table>`}
        <${Outcome} of=${end} />
        ${may && html`<${Rotate} app=${app} onMade=${onMade} />`}
        ${made && html`<${Made} me=${me} made=${made} />`}
    </section>`;
}
