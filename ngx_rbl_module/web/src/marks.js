// What people noted about a listing: its removal was asked for, it is expected,
// a ticket; and the form that changes it.

import { post } from './api.js';
import { Field, Options } from './form.js';
import { html } from './html.js';
import { When } from './parts.js';
import { namesIn, RecordForm, useFields } from './record.js';
import { t } from './text.js';

const nothing = { asked: '', expected: '', ticket: '' };
const flags = ['asked', 'expected'];
const notes = () => flags.map((id) => ({ id, name: t(`mark_is_${id}`) }));

// mark: of the API, or undefined.
export function Noted({ mark = nothing }) {
    return ['asked', 'expected', 'ticketed'].filter((name) => mark[name])
        .map((name) => html`<p key=${name}>${t(`mark_${name}`)}
            ${name === 'ticketed' && html` <strong><bdi>${mark.ticket}</bdi>
                </strong>`}
            ${' '}<${When} text=${mark[name]} />
            ${mark[`${name}_by`] && html`,
                <bdi class="name"> ${mark[`${name}_by`]}</bdi>`}</p>`);
}

const fieldsOf = (mark = nothing) => ({ ticket: mark.ticket,
    noted: flags.filter((name) => mark[name]) });

function save(host, list, { noted, ticket }) {
    const flag = (name) => (noted.includes(name) ? '1' : '0');

    return post(`host/mark/${host}.json`, { list, asked: flag('asked'),
        expected: flag('expected'), ticket });
}

function Change({ host, list, mark, onDone }) {
    const form = useFields(fieldsOf(mark));
    const { mine, set } = form;

    return html`<${RecordForm} form=${form} button=${t('mark_save')}
        path="host/lists/${host}.json" onDone=${onDone}
        of=${({ data }) => fieldsOf(data.lists.find(({ id }) =>
            id === list)?.mark)}
        names=${{ ticket: { label: t('mark_ticket') },
            noted: { label: t('mark_legend'), show: namesIn(notes()) } }}
        save=${(fields) => save(host, list, fields)}>
        <${Options} id="mark-${list}" legend=${t('mark_legend')}
            help=${t('mark_help')} chosen=${mine.noted}
            onChange=${set('noted')} from=${notes()} />
        <${Field} id="ticket-${list}" label=${t('mark_ticket')}
            maxlength="64" value=${mine.ticket} onChange=${set('ticket')} />
    <//>`;
}

// host: its id; list: one of host/lists.
export function Marks({ host, list, may, onDone }) {
    return html`<${Noted} mark=${list.mark} />
        ${may && html`<details>
            <summary>${t('mark_change')}</summary>
            <${Change} host=${host} list=${list.id}
                mark=${list.mark} onDone=${onDone} />
        </details>`}`;
}
