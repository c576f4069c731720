// A new application; and a new token, which is shown once.

import { useEffect, useRef, useState } from 'preact/hooks';

import { html } from '../html.js';
import { Outcome, useSend } from '../send.js';
import { snippets } from '../snippets.js';
import { t } from '../text.js';

function Copied({ label, text }) {
    const [said, setSaid] = useState('');
    const code = useRef();

    async function copy() {
        try {
            await navigator.clipboard.writeText(text);
            setSaid(t('copied'));
        } catch {
            getSelection().selectAllChildren(code.current);
            setSaid(t('copy_by_hand'));
        }
    }

    return html`<div class="copied">
        <h3>${label}</h3>
        <pre><code ref=${code}>${text}</code></pre>
        <p><button type="button" onClick=${copy}
            aria-label=${t('copy_what', { what: label })}>${t('copy')}</button>
            ${' '}<span role="status">${said}</span></p>
    </div>`;
}

// made: the answer that has the token.
export function Made({ me, made }) {
    const head = useRef();

    useEffect(() => head.current.focus(), [made]);

    return html`<section class="made">
        <h2 tabindex="-1" ref=${head}>${t('token_made')}</h2>
        <p class="banner">${t('token_once')}</p>
        <${Copied} label=${t('token')} text=${made.token} />
        ${made.secret && html`
            <${Copied} label=${t('secret')} text=${made.secret} />
            <p>${t('secret_text')}</p>`}
        <h2>${t('use_it')}</h2>
        ${snippets(location.origin, me.account.id, made.token).map(
            ([name, text]) => html`
                <${Copied} key=${name} label=${t(`use_${name}`)}
                    text=${text} />`)}
    </section>`;
}

export function NewApp({ me }) {
    const [made, setMade] = useState(null);
    const [name, setName] = useState('');
    const add = useSend();

    async function submit(event) {
        event.preventDefault();

        const body = await add.send('app/add.json', { name });

        if (body) {
            setMade(body.data);
        }
    }

    if (made) {
        return html`<h1><bdi>${made.name}</bdi></h1>
            <${Made} me=${me} made=${made} />
            <p><a href="#/apps/${made.id}">${t('app_open')}</a></p>`;
    }

    return html`<h1>${t('app_new')}</h1>
        <p>${t('app_new_text')}</p>
        <form onSubmit=${submit}>
            <p class="field"><label for="app-name">${t('name')}</label>
                <input id="app-name" required maxlength="255" value=${name}
                    autocomplete="off" aria-describedby="app-name-help"
                    onInput=${(e) => setName(e.target.value)} />
                <small id="app-name-help">${t('app_name_help')}</small></p>
            <p><button disabled=${add.busy}>${t('app_add')}</button></p>
            <${Outcome} of=${add} />
        </form>
        <p><a href="#/apps">${t('app_all')}</a></p>`;
}
