// What can be done with an own list: pause, resume, change, delete.

import { post } from './api.js';
import { Said, useChange } from './change.js';
import { Delete, Turn } from './form.js';
import { html } from './html.js';
import { namesIn, RecordForm, useFields } from './record.js';
import { ListFields, listTypes } from './screens/list_add.js';
import { t } from './text.js';

const fieldsOf = ({ type, host }) => ({ type, host });

function Change({ list, onDone }) {
    const form = useFields(fieldsOf(list));

    return html`<${RecordForm} form=${form} path="list/${list.id}.json"
        of=${({ data }) => fieldsOf(data.list)} names=${{
            host: { label: t('zone') },
            type: { label: t('list_type'), show: namesIn(listTypes()) }
        }} invalid="refused_name" onDone=${onDone} save=${(fields) =>
            post(`rbl/update/${list.id}.json`, fields)}>
        <${ListFields} form=${form} /><//>`;
}

export function ListActions({ list, onDone }) {
    const { run, ...said } = useChange(onDone);

    return html`<section aria-label=${t('actions')}>
        <${Turn} path="rbl" id=${list.id} paused=${list.status === 'paused'}
            words=${{ pause: t('turned_pause'), resume: t('turned_resume') }}
            run=${run} />${' '}
        <${Delete} path="rbl" id=${list.id} name=${list.host}
            back="lists" />
        <${Said} of=${said} />
        <details>
            <summary>${t('change')}</summary>
            <${Change} list=${list} onDone=${onDone} />
        </details>
    </section>`;
}
