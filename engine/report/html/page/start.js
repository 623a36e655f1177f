// The page around the drawing: search, filter, waves, the text, and the keys of the whole page.

const search = make('input', {
  type: 'search', id: 'search', placeholder: 'Search ( / )', 'aria-label': 'Search nodes by name, address or label',
  autocomplete: 'off', spellcheck: 'false',
  oninput: () => { chosen.text = search.value.trim().toLowerCase(); refilter(); },
  onkeydown: (event) => {
    const found = matches();
    if (event.key === 'Enter' && chosen.text && found.length) {
      showNode(found[0]);
      focusBox(drawing.boxOf[found[0]]);
    } else if (event.key === 'ArrowDown') {
      const first = panel.querySelector('button.node');
      if (first) first.focus();
    } else {
      return;
    }
    event.preventDefault();
  },
});

// A new filter shows what it finds; what was chosen before is let go.
function refilter() {
  chosen.subject = null;
  fade();
  showPanel();
}

function filterBox(state) {
  const nodes = data.nodes.filter((node) => node.state === state).length;
  const cables = data.cables.filter((cable) => cable.state === state).length;
  if (nodes + cables === 0) return null;
  const tick = make('input', {type: 'checkbox', checked: 'checked', value: state, onchange: () => {
    if (tick.checked) chosen.states.add(state);
    else chosen.states.delete(state);
    refilter();
  }});
  return make('label', {class: 'filter'}, tick, make('span', {class: 'dot ' + state, 'aria-hidden': 'true'}, MARKS[state]),
    (WORDS.get(state) || state) + ' ',
    make('small', {}, [nodes ? count(nodes, 'node', 'nodes') : '', cables ? count(cables, 'cable', 'cables') : ''].filter(Boolean).join(', ')));
}

function button(words, action, attributes) {
  return make('button', {type: 'button', onclick: action, ...attributes}, words);
}

function viewButton() {
  if (data.views.length < 2) return null;
  const words = () => view().name === 'groups' ? 'Every node' : 'Groups';
  const toggle = button(words(), () => {
    chosen.view = 1 - chosen.view;
    toggle.textContent = words();
    draw();
  }, {id: 'view'});
  return toggle;
}

function header() {
  return make('header', {},
    make('h1', {}, data.title), make('p', {id: 'verdict'}, data.verdict),
    make('div', {id: 'controls'}, search,
      make('fieldset', {}, make('legend', {}, 'Show'), [...STATES].reverse().map(filterBox))));
}

function figure() {
  return make('figure', {}, drawing.svg,
    make('div', {id: 'looks'}, viewButton(),
      button('+', () => zoom(1 / 1.4), {title: 'Zoom in ( + )', 'aria-label': 'Zoom in'}),
      button('\u2212', () => zoom(1.4), {title: 'Zoom out ( - )', 'aria-label': 'Zoom out'}),
      button('Fit', showAll, {title: 'Show all ( 0 )'})),
    make('figcaption', {}, 'Keys: / searches, arrows go from box to box, Enter opens, Escape goes back, ' +
      '+ - 0 zoom. The mouse drags, and zooms with Ctrl and the wheel.'));
}

function waveItem(wave) {
  return make('li', {class: 'wave'}, make('h3', {}, wave.title),
    wave.why ? make('p', {class: 'aside'}, wave.why) : null,
    make('dl', {}, wave.work.map(lineRow)),
    wave.nodes.length > 1 ? button('Show in the drawing', () => {
      select({nodes: wave.nodes, title: wave.title});
      document.querySelector('figure').scrollIntoView({block: 'nearest'});
    }, {class: 'show'}) : null,
    nodeList(wave.nodes));
}

function waves() {
  if (!data.waves.length) return null;
  return make('section', {id: 'waves'}, make('h2', {}, 'The rollout, in this order'),
    make('ol', {}, data.waves.map(waveItem)));
}

function table(each) {
  return make('section', {class: 'table'}, make('h2', {}, each.title), make('div', {class: 'scroll'}, make('table', {},
    make('thead', {}, make('tr', {}, each.head.map((cell) => make('th', {scope: 'col'}, cell)))),
    make('tbody', {}, each.rows.map((row) => make('tr', {}, row.map((cell) => make('td', {}, cell))))))));
}

function asText() {
  const text = make('pre', {id: 'text', hidden: 'hidden', tabindex: 0}, data.text);
  const toggle = button('Show as text', () => {
    text.toggleAttribute('hidden');
    toggle.textContent = text.hasAttribute('hidden') ? 'Show as text' : 'Hide the text';
    toggle.setAttribute('aria-expanded', String(!text.hasAttribute('hidden')));
  }, {'aria-expanded': 'false', 'aria-controls': 'text'});
  return make('section', {id: 'as-text'}, make('h2', {}, 'As text'), toggle, text);
}

function escape() {
  if (document.activeElement === search && search.value) {
    search.value = '';
    chosen.text = '';
    refilter();
  } else if (document.activeElement === search) {
    search.blur();
  } else if (chosen.subject) {
    select(null);
  } else if (isFiltered()) {
    search.value = '';
    chosen.text = '';
    for (const tick of document.querySelectorAll('.filter input')) tick.checked = true;
    STATES.forEach((state) => chosen.states.add(state));
    refilter();
  }
}

document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === 'Escape') {
    escape();
    event.preventDefault();
    return;
  }
  if (document.activeElement === search) return;
  if (event.key === '/') search.focus();
  else if (event.key === '+' || event.key === '=') zoom(1 / 1.4);
  else if (event.key === '-') zoom(1.4);
  else if (event.key === '0') showAll();
  else return;
  event.preventDefault();
});

document.body.append(...[header(), make('main', {}, figure(), panel), waves(), ...data.tables.map(table), asText()].filter(Boolean));
watchDrawing();
draw();
showPanel();
window.addEventListener('beforeprint', showAll);
