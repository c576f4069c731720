// Parts of the screens of applications: state, ranges of time and other choices
// in the address, refused requests.

import { html } from './html.js';
import { Head, State, When } from './parts.js';
import { t } from './text.js';

// By the word in the address; the first one is shown without it.
export const ranges = { hours_24: 'hours=24', days_31: 'days=31',
    days_396: 'days=396' };

export const rangeOf = (query, names = Object.keys(ranges)) =>
    names.find((name) => name === new URLSearchParams(query).get('range'))
        || names[0];

// The address of a screen with this query, but for what changes; "" leaves a
// choice out.
export function addressOf(screen, query, changes) {
    const all = new URLSearchParams(query);

    Object.entries(changes).forEach(([name, value]) =>
        (value === '' ? all.delete(name) : all.set(name, value)));

    return `#/${screen}${`${all}` && `?${all}`}`;
}

export function AppStatus({ of }) {
    return html`<${State} name=${of === 'active' ? 'active' : 'disabled'}
        text=${t(`app_${of}`) || of} />`;
}

export function Ranges({ screen, query, names = Object.keys(ranges) }) {
    const current = rangeOf(query, names);

    return html`<nav class="ranges" aria-label=${t('period')}>
        ${names.map((name, i) => html`<a key=${name}
            href=${addressOf(screen, query, { range: i === 0 ? '' : name })}
            aria-current=${name === current ? 'true' : undefined}>
            ${t(`range_${name}`)}</a>`)}</nav>`;
}

// How many of the requests were refused, with their share.
export function refusedOf({ requests, errors }) {
    const share = requests > 0 ? 100 * errors / requests : 0;

    return errors === 0 ? t('apps_refused_none') : t('apps_refused', { errors,
        share: share < 1 ? '< 1' : Math.round(share) });
}

// A refusal on one line, which opens.
function Refused({ error, named }) {
    const { application, method, path, message, address } = error;

    return html`<tr>
        <td data-label=${t('time')}><${When} text=${error.time} /></td>
        ${named && html`<td data-label=${t('app')}>
            <a href="#/apps/${application.id}"><bdi class="name">${
                application.name}</bdi></a></td>`}
        <td data-label=${t('status')}>${error.code}</td>
        <td data-label=${t('message')}><details>
            <summary><span class="one"><bdi>${message}</bdi></span></summary>
            <dl><div><dt class="quiet">${t('message')}</dt>
                <dd><bdi>${message}</bdi></dd></div>
            <div><dt class="quiet">${t('request')}</dt>
                <dd><code>${method}${' '}<bdi>${path}</bdi></code></dd></div>
            <div><dt class="quiet">${t('address')}</dt>
                <dd><bdi>${address}</bdi></dd></div></dl></details></td>
    </tr>`;
}

// named: with the application of each.
export function Refusals({ errors, named = false }) {
    return html`<table class="dense refusals ${named ? 'named' : ''}">
        <${Head} names=${['time', ...(named ? ['app'] : []), 'status',
            'message']} />
        <tbody>${errors.map((error, i) => html`
            <${Refused} key=${error.time + i} error=${error}
                named=${named} />`)}</tbody>
    </table>`;
}
