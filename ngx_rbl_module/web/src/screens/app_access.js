// From where, and how often, an application may be used.

import { useState } from 'preact/hooks';

import { post } from '../api.js';
import { Said, useChange } from '../change.js';
import { html } from '../html.js';
import { number, t } from '../text.js';

const names = ['hour', 'reads', 'writes', 'starts'];

function Allow({ app, onDone }) {
    const [text, setText] = useState(app.allow.join('\n'));
    const set = useChange(onDone);

    function submit(event) {
        event.preventDefault();

        const allow = text.split(/[\s,]+/).filter((word) => word);

        set.run(t('saved'), () => post(`app/allow/${app.id}.json`, { allow }));
    }

    return html`<form onSubmit=${submit}>
        <p class="field"><label for="app-allow">${t('allow')}</label>
            <textarea id="app-allow" rows="4" spellcheck="false" value=${text}
                aria-describedby="app-allow-help"
                onInput=${(e) => setText(e.target.value)}></textarea>
            <small id="app-allow-help">${t('allow_help')}</small></p>
        <p><button disabled=${set.busy}>${t('allow_save')}</button></p>
        <${Said} of=${set} />
    </form>`;
}

function Limits({ app, onDone }) {
    const [limits, setLimits] = useState(app.limits);
    const set = useChange(onDone);

    function submit(event) {
        event.preventDefault();
        set.run(t('saved'), () => post(`app/limit/${app.id}.json`, limits));
    }

    return html`<form onSubmit=${submit}>
        <fieldset><legend>${t('limits')}</legend>
            <p>${t('limits_help')}</p>
            <div class="fields">${names.map((name) => html`
                <p class="field" key=${name}>
                    <label for="app-${name}">${t(`limit_${name}`)}</label>
                    <input id="app-${name}" type="number" min="0" required
                        max=${name === 'hour' ? 1000000000 : 1000000}
                        value=${limits[name]} onInput=${(e) => setLimits(
                            { ...limits, [name]: e.target.value })} /></p>`)}
            </div>
        </fieldset>
        <p><button disabled=${set.busy}>${t('limits_save')}</button></p>
        <${Said} of=${set} />
    </form>`;
}

function Shown({ app }) {
    return html`<dl>
        <dt>${t('allow')}</dt>
        ${app.allow.length === 0 && html`<dd>${t('allow_all')}</dd>`}
        ${app.allow.map((net) => html`<dd key=${net}><bdi>${net}</bdi></dd>`)}
        ${names.map((name) => html`<dt key=${name}>${t(`limit_${name}`)}</dt>
            <dd key="${name}-value">${app.limits[name] === 0 ? t('no_limit')
                : number(app.limits[name])}</dd>`)}
    </dl>`;
}

export function Access({ app, may, onDone }) {
    return html`<section aria-labelledby="app-access">
        <h2 id="app-access">${t('access')}</h2>
        ${may ? html`<${Allow} app=${app} onDone=${onDone} />
            <${Limits} app=${app} onDone=${onDone} />`
            : html`<${Shown} app=${app} />`}
    </section>`;
}
