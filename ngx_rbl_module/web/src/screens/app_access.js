// From where, and how often, an application may be used.

import { post } from '../api.js';
import { html } from '../html.js';
import { RecordForm, useFields } from '../record.js';
import { number, t } from '../text.js';

const names = ['hour', 'reads', 'writes', 'starts'];

function Allow({ app, onDone }) {
    const allowOf = ({ allow }) => ({ allow: allow.join('\n') });
    const form = useFields(allowOf(app));

    return html`<${RecordForm} form=${form} path="app/${app.id}.json"
        of=${({ data }) => allowOf(data)} button=${t('allow_save')}
        names=${{ allow: { label: t('allow') } }} onDone=${onDone}
        save=${({ allow }) => post(`app/allow/${app.id}.json`,
            { allow: allow.split(/[\s,]+/).filter((word) => word) })}>
        <p class="field"><label for="app-allow">${t('allow')}</label>
            <textarea id="app-allow" rows="4" spellcheck="false"
                value=${form.mine.allow} aria-describedby="app-allow-help"
                onInput=${(e) => form.set('allow')(e.target.value)}></textarea>
            <small id="app-allow-help">${t('allow_help')}</small></p>
    <//>`;
}

function Limits({ app, onDone }) {
    const limitsOf = ({ limits }) => Object.fromEntries(names.map((name) =>
        [name, limits[name]]));
    const form = useFields(limitsOf(app));

    return html`<${RecordForm} form=${form} path="app/${app.id}.json"
        of=${({ data }) => limitsOf(data)} button=${t('limits_save')}
        names=${Object.fromEntries(names.map((name) =>
            [name, { label: t(`limit_${name}`) }]))} onDone=${onDone}
        save=${(limits) => post(`app/limit/${app.id}.json`, limits)}>
        <fieldset><legend>${t('limits')}</legend>
            <p>${t('limits_help')}</p>
            <div class="fields">${names.map((name) => html`
                <p class="field" key=${name}>
                    <label for="app-${name}">${t(`limit_${name}`)}</label>
                    <input id="app-${name}" type="number" min="0" required
                        max=${name === 'hour' ? 1000000000 : 1000000}
                        value=${form.mine[name]} onInput=${(e) =>
                            form.set(name)(e.target.value)} /></p>`)}
            </div>
        </fieldset>
    <//>`;
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
