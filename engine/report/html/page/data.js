'use strict';

// What the page shows, and what the user has chosen of it. Every text of `data` goes into the page by
// textContent or as the value of an attribute that holds nothing but text.
const data = JSON.parse(document.getElementById('data').textContent);

const STATES = ['fine', 'unasked', 'changing', 'doubtful', 'unknown', 'wrong'];  // the worst last
// A state is told by more than its colour.
const MARKS = {fine: '', unasked: '\u2013', changing: '~', doubtful: '!', unknown: '?', wrong: '\u2715'};
const WORDS = new Map(data.legend);

const chosen = {
  view: 0,                      // index in data.views
  text: '',                     // of the search, in lower case
  states: new Set(STATES),      // that are not faded
  subject: null,                // {nodes: [index], title} or {cable: index}
};

const cablesOf = data.nodes.map(() => []);
data.cables.forEach((cable, index) => {
  for (const node of new Set(cable.nodes)) cablesOf[node].push(index);
});
const findingsOf = data.nodes.map(() => []);
data.findings.forEach((finding) => {
  for (const node of finding.nodes) findingsOf[node].push(finding);
});
const haystacks = data.nodes.map((node) =>
  [node.name, ...(node.facts || []).flat()].join(' ').toLowerCase());

function worst(states) {
  return states.reduce((a, b) => STATES.indexOf(b) > STATES.indexOf(a) ? b : a, 'fine');
}

function count(number, one, many) {
  return number + ' ' + (number === 1 ? one : many);
}

function portName(cable, end) {
  return data.nodes[cable.nodes[end]].name + '/' + cable.ports[end];
}

function isFiltered() {
  return chosen.text !== '' || chosen.states.size !== STATES.length;
}

function matchesText(node) {
  return chosen.text === '' || haystacks[node].includes(chosen.text);
}

function cableIsIn(index) {
  const cable = data.cables[index];
  return chosen.states.has(cable.state) && cable.nodes.some(matchesText);
}

// A node is in by its own state, or by that of a cable.
function nodeIsIn(node) {
  return matchesText(node) &&
    (chosen.states.has(data.nodes[node].state) ||
     (chosen.states.size !== STATES.length && cablesOf[node].some(cableIsIn)));
}

function matches() {
  return data.nodes.map((_, node) => node).filter(nodeIsIn);
}

// An element with attributes, listeners ("onclick") and children, which are elements or texts.
function make(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

function makeSvg(tag, attributes, ...children) {
  return fill(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes, children);
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (value !== null && value !== false) element.setAttribute(name, value);
  }
  for (const child of children.flat()) {
    if (child !== null && child !== '') element.append(child);
  }
  return element;
}
