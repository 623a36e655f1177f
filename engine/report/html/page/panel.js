// The panel beside the drawing: what is chosen, what the search finds, or the fabric as a whole.

const MOST_LISTED = 150;
const panel = make('aside', {id: 'panel', 'aria-live': 'polite', 'aria-label': 'Details', tabindex: -1});

function select(subject) {
  chosen.subject = subject;
  fade();
  showPanel();
}

function nodeButton(node) {
  const {name, state} = data.nodes[node];
  return make('button', {
    type: 'button', class: 'node ' + state, 'data-node': node,
    title: WORDS.get(state) || state,
    onclick: () => showNode(node),
  }, make('span', {class: 'dot ' + state, 'aria-hidden': 'true'}, MARKS[state]), name);
}

function showNode(node) {
  const box = drawing.boxOf[node];
  approach(view().boxes[box]);
  select({nodes: [node], title: ''});
}

// Many nodes: the first of them, the others when the user asks.
function nodeList(nodes) {
  const list = make('div', {class: 'nodes'}, nodes.slice(0, MOST_LISTED).map(nodeButton));
  if (nodes.length > MOST_LISTED) {
    const more = make('button', {type: 'button', onclick: () => {
      more.replaceWith(...nodes.slice(MOST_LISTED).map(nodeButton));
    }}, `and ${nodes.length - MOST_LISTED} more`);
    list.append(more);
  }
  return list;
}

function stateLine(state, words) {
  return make('p', {class: 'state'}, make('span', {class: 'dot ' + state, 'aria-hidden': 'true'}, MARKS[state]),
    words || WORDS.get(state) || state);
}

function findingItem(finding, withNodes) {
  const more = [];
  if (finding.others) more.push(finding.others);
  if (finding.consequences > 0) more.push(count(finding.consequences, 'more follows from it', 'more follow from it'));
  return make('li', {class: 'finding ' + finding.severity},
    make('strong', {}, finding.severity), ' ', make('code', {}, finding.rule),
    make('p', {}, finding.message),
    finding.help ? make('p', {class: 'help'}, 'What to do: ' + finding.help) : null,
    (finding.related || []).map((text) => make('p', {class: 'aside'}, text)),
    finding.place || more.length ? make('p', {class: 'aside'}, [finding.place, ...more].filter(Boolean).join('; ')) : null,
    withNodes && finding.nodes.length ? nodeList(finding.nodes) : null);
}

function findingList(findings, withNodes) {
  if (!findings.length) return [];
  return [make('h3', {}, 'Findings'), make('ul', {class: 'findings'}, findings.map((each) => findingItem(each, withNodes)))];
}

function lineRow([name, text, source]) {
  return make('div', {class: 'line'}, name ? make('dt', {}, name) : null,
    make('dd', {}, text, source ? make('small', {}, source) : null));
}

function entryItem(entry) {
  return make('li', {class: 'entry'},
    entry.mark ? make('span', {class: 'tag', title: entry.meaning || ''}, entry.mark.trim()) : null,
    make('b', {}, entry.title),
    entry.lines ? make('dl', {}, entry.lines.map(lineRow)) : null);
}

function sectionOf(section) {
  return [make('h3', {}, section.title), make('ul', {class: 'entries'}, section.entries.map(entryItem))];
}

function cableItem(index, node) {
  const cable = data.cables[index];
  const here = cable.nodes[0] === node ? 0 : 1;
  const other = cable.nodes[1 - here];
  return make('li', {class: 'cable-item'},
    make('span', {class: 'dot ' + cable.state, title: WORDS.get(cable.state) || cable.state}, MARKS[cable.state]),
    make('span', {}, cable.ports[here] + ' \u2192 '), nodeButton(other), ' ' + cable.ports[1 - here],
    make('small', {}, [cable.network, cable.label, cable.words].filter(Boolean).join('; ')));
}

function nodePanel(node) {
  const drawn = data.nodes[node];
  const sections = drawn.sections || [];
  const cables = sortedCables(cablesOf[node]);
  return [
    make('h2', {}, drawn.name),
    stateLine(drawn.state),
    (drawn.notes || []).map((text) => make('p', {class: 'note'}, text)),
    findingList(findingsOf[node], false),
    sections.map(sectionOf),
    cables.length ? [make('h3', {}, 'Cables'), make('ul', {class: 'cables'}, cables.map((each) => cableItem(each, node)))] : null,
    drawn.facts && drawn.facts.length ? [make('h3', {}, 'About it'), make('dl', {}, drawn.facts.map(lineRow))] : null,
  ];
}

function cablePanel(index) {
  const cable = data.cables[index];
  return [
    make('h2', {}, 'Cable'),
    stateLine(cable.state, cable.words),
    make('dl', {}, [0, 1].map((end) => make('div', {class: 'line'},
      make('dt', {}, nodeButton(cable.nodes[end])), make('dd', {}, cable.ports[end]))),
    cable.network ? lineRow(['network', cable.network, '']) : null,
    cable.label ? lineRow(['label', cable.label, '']) : null),
  ];
}

// The worst first.
function sortedCables(cables) {
  return [...cables].sort((a, b) => STATES.indexOf(data.cables[b].state) - STATES.indexOf(data.cables[a].state));
}

function bundlePanel(cables) {
  return [make('h2', {}, count(cables.length, 'cable', 'cables')),
    make('ul', {class: 'cables'}, sortedCables(cables).slice(0, MOST_LISTED).map((index) => make('li', {class: 'cable-item'},
      make('button', {type: 'button', onclick: () => select({cables: [index]})},
        make('span', {class: 'dot ' + data.cables[index].state}, MARKS[data.cables[index].state]),
        portName(data.cables[index], 0) + ' \u2013 ' + portName(data.cables[index], 1)))))];
}

function fabricPanel() {
  const hint = data.nodes.length ? 'Choose a node to see what is the matter with it.' : 'There are no nodes to draw.';
  return [make('h2', {}, 'The whole fabric'), make('p', {class: 'aside'}, hint),
    data.folded.length ? findingList(data.folded, true) : make('p', {}, 'There are no findings.')];
}

function contents() {
  const subject = chosen.subject;
  if (subject && subject.cables) {
    return subject.cables.length === 1 ? cablePanel(subject.cables[0]) : bundlePanel(subject.cables);
  }
  if (subject && subject.nodes.length === 1) return nodePanel(subject.nodes[0]);
  if (subject) {
    const nodes = subject.nodes.filter(nodeIsIn);
    return [make('h2', {}, subject.title), make('p', {class: 'aside'},
      nodes.length === subject.nodes.length ? '' : `${nodes.length} of them by the filter`), nodeList(nodes)];
  }
  if (isFiltered()) {
    const nodes = matches();
    return [make('h2', {}, count(nodes.length, 'node', 'nodes') + ' found'), nodeList(nodes)];
  }
  return fabricPanel();
}

function showPanel() {
  const close = chosen.subject ? make('button', {type: 'button', class: 'close', 'aria-label': 'Close', onclick: () => select(null)}, '\u2715') : null;
  panel.replaceChildren();
  fill(panel, {}, [close, contents()].flat(Infinity));
  panel.scrollTop = 0;
}
