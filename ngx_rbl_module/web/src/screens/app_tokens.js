// The tokens of an application.

import { useRef, useState } from 'preact/hooks';

import { Made } from './app_new.js';
import { post } from '../api.js';
import { Said, useChange } from '../change.js';
import { html } from '../html.js';
import { Head, When } from '../parts.js';
import { t } from '../text.js';

// A token is revoked by a second press, on a button that takes the place of the
// first one.
function Token({ app, token, may, end }) {
    const [sure, setSure] = useState(false);
    const { digits } = token;

    function press() {
        if (!sure) {
            setSure(true);
            return;
        }

        setSure(false);
        end.run(t('token_revoked', { digits }), () =>
            post(`token/revoke/${app.id}.json`, { token: digits }));
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
    const rotate = useChange(({ data }) => onMade(data));

    function submit(event) {
        event.preventDefault();
        rotate.run('', () => post(`app/rotate/${app.id}.json`,
            { keep: keep ? 1 : 0 }));
    }

    return html`<form onSubmit=${submit}>
        <p><label><input type="checkbox" checked=${keep}
            onChange=${(e) => setKeep(e.target.checked)} />
            ${' '}${t('token_keep')}</label></p>
        <p><button disabled=${rotate.busy}>${t('token_new')}</button></p>
        <${Said} of=${rotate} />
    </form>`;
}

export function Tokens({ me, app, may, onDone }) {
    const [made, setMade] = useState(null);
    const head = useRef();

    // the focus must not be lost with the button

    const end = useChange(() => {
        head.current.focus();
        onDone();
    });

    function onMade(data) {
        setMade(data);
        onDone();
    }

    return html`<section aria-labelledby="app-tokens">
        <h2 id="app-tokens" tabindex="-1" ref=${head}>${t('tokens')}</h2>
        <p>${t(app.tokens.length > 0 ? 'tokens_text' : 'no_tokens_text')}</p>
        ${app.tokens.length > 0 && html`<table class="dense brief">
            <${Head} names=${['digits', 'created', ...(may ? ['action']
                : [])]} />
            <tbody>${app.tokens.map((token) => html`
                <${Token} key=${token.digits} app=${app} token=${token}
                    may=${may} end=${end} />`)}</tbody>
        </table>`}
        <${Said} of=${end} />
        ${may && html`<${Rotate} app=${app} onMade=${onMade} />`}
        ${made && html`<${Made} me=${me} made=${made} />`}
    </section>`;
}
