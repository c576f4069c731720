// Lists: all of an account, one, or a new one of its own.

import { html } from '../html.js';
import { lazy } from '../lazy.js';
import { List } from './list.js';
import { ListAdd } from './list_add.js';

const ListsMine = lazy(() => import('../list_mine.js'), 'ListsMine', 'lists');

export function Lists({ me, rest, query }) {
    return rest === 'add' ? html`<${ListAdd} me=${me} />`
        : rest ? html`<${List} me=${me} id=${rest} query=${query} />`
            : html`<${ListsMine} me=${me} />`;
}
