// The drawing: boxes where the program has put them, cables between them.

const drawing = {
  svg: makeSvg('svg', {id: 'drawing', role: 'group', 'aria-label': 'The fabric. Arrow keys go from box to box.'}),
  boxes: [],      // {box, element, state}
  lines: [],      // {cables, element}
  boxOf: [],      // of each node, the index of its box
  window: null,   // what is seen: {x, y, width, height}
  focused: 0,     // the box that Tab comes to
};

function view() {
  return data.views[chosen.view];
}

function shortened(name, width) {
  const most = Math.max(4, Math.floor((width - 30) / 7.6));
  return name.length <= most ? name : name.slice(0, most - 1) + '\u2026';
}

function stateOfBox(box) {
  return worst(box.nodes.map((node) => data.nodes[node].state));
}

// "18 hosts: c101 to c118"
function boxName(box) {
  const first = data.nodes[box.nodes[0]].name;
  return box.title ? `${box.title}: ${first} to ${data.nodes[box.nodes.at(-1)].name}` : first;
}

// How many of a group are in each state, as a bar.
function stateBar(box, width, height) {
  const parts = [];
  let x = -width / 2 + 8;
  for (const state of STATES) {
    const number = box.nodes.filter((node) => data.nodes[node].state === state).length;
    if (number === 0) continue;
    const part = (width - 16) * number / box.nodes.length;
    parts.push(makeSvg('rect', {class: 'bar ' + state, x, y: height / 2 - 6, width: part, height: 3}));
    x += part;
  }
  return parts;
}

function drawBox(box, index) {
  const width = view().box_width;
  const height = view().box_height;
  const state = stateOfBox(box);
  const isGroup = box.nodes.length > 1;
  const isSwitch = data.nodes[box.nodes[0]].switch === true;
  const name = boxName(box);
  const outline = {x: -width / 2, y: -height / 2, width, height, rx: isSwitch ? 1 : 7};
  const element = makeSvg('g', {
    class: 'box ' + state + (isSwitch ? ' switch' : '') + (isGroup ? ' group' : ''),
    transform: `translate(${box.x} ${box.y})`,
    role: 'button', tabindex: index === drawing.focused ? 0 : -1,
    'aria-label': name + ', ' + (WORDS.get(state) || state),
    onclick: () => { focusBox(index); selectBox(index); },
  },
  makeSvg('title', {}, name + ': ' + (WORDS.get(state) || state)),
  isGroup ? makeSvg('rect', {...outline, x: outline.x + 4, y: outline.y + 4, class: 'behind'}) : null,
  makeSvg('rect', outline),
  isGroup ? stateBar(box, width, height) : null,
  makeSvg('text', {class: 'mark', x: -width / 2 + 12, y: 4.5}, MARKS[state]),
  makeSvg('text', {x: MARKS[state] ? 6 : 0, y: isGroup ? 2.5 : 4.5}, shortened(box.title || name, width)));
  return {box, element, state};
}

// From below the upper box to above the lower one; to a host that has others above it, through the
// gap beside its column.
function routeDown(up, low, offset, ordinal) {
  const {box_width: width, box_height: height, row_height: row} = view();
  const x = up.x + offset;
  const y = up.y + height / 2;
  if (low.tier > 0 || low.row === 0) {
    const end = low.y - height / 2;
    const middle = (y + end) / 2;
    return `M${x} ${y}C${x} ${middle} ${low.x + offset} ${middle} ${low.x + offset} ${end}`;
  }
  const side = ordinal % 2 === 0 ? -1 : 1;
  const gap = low.x + side * (width / 2 + 5 + 3 * Math.min(2, Math.floor(ordinal / 2)));
  const top = low.y - low.row * row - height / 2 - 6;
  const middle = (y + top) / 2;
  return `M${x} ${y}C${x} ${middle} ${gap} ${middle} ${gap} ${top}V${low.y - 5}` +
    `Q${gap} ${low.y} ${low.x + side * width / 2} ${low.y}`;
}

function routeBeside(a, b, offset) {
  const dx = b.x - a.x;
  const dy = b.y - a.y;
  const length = Math.hypot(dx, dy) || 1;
  const x = -dy / length * offset;
  const y = dx / length * offset;
  const isOverOthers = dy === 0 && Math.abs(dx) > 1.5 * (view().box_width + 28) && isFramed(a) && isFramed(b);
  if (!isOverOthers) return `M${a.x + x} ${a.y + y}L${b.x + x} ${b.y + y}`;
  const bow = a.y + 44 + offset;
  return `M${a.x} ${a.y}Q${(a.x + b.x) / 2} ${bow} ${b.x} ${b.y}`;
}

function route(a, b, offset, ordinal) {
  if (a.tier === b.tier) return routeBeside(a, b, offset);
  return a.tier > b.tier ? routeDown(a, b, offset, ordinal) : routeDown(b, a, offset, ordinal);
}

// The cables between each two boxes; of groups they are one line.
function bundles() {
  const found = new Map();
  data.cables.forEach((cable, index) => {
    const ends = cable.nodes.map((node) => drawing.boxOf[node]).sort((a, b) => a - b);
    if (ends[0] === ends[1]) return;
    const key = ends.join(' ');
    if (!found.has(key)) found.set(key, {ends, cables: []});
    found.get(key).cables.push(index);
  });
  return [...found.values()];
}

function drawLine(path, cables, width) {
  const state = worst(cables.map((index) => data.cables[index].state));
  const words = cables.length > 1 ? count(cables.length, 'cable', 'cables') :
    portName(data.cables[cables[0]], 0) + ' \u2013 ' + portName(data.cables[cables[0]], 1);
  const element = makeSvg('g', {class: 'cable ' + state, onclick: () => select({cables})},
    makeSvg('title', {}, words + ': ' + (WORDS.get(state) || state)),
    makeSvg('path', {class: 'grip', d: path}),
    makeSvg('path', {d: path, 'stroke-width': width}));
  return {cables, element, state};
}

// What comes from outside of all frames goes behind those that it does not lead to.
function isFramed(box) {
  return view().frames.some((frame) => box.x > frame.x && box.x < frame.x + frame.width &&
    box.y > frame.y && box.y < frame.y + frame.height);
}

function drawCables() {
  const lines = [];
  const ordinals = new Map();   // of cables at a lower box
  for (const {ends, cables} of bundles()) {
    const [a, b] = ends.map((end) => view().boxes[end]);
    const isGroup = a.nodes.length > 1 || b.nodes.length > 1;
    const lower = a.tier < b.tier ? ends[0] : ends[1];
    const each = isGroup ? [cables] : cables.map((cable) => [cable]);
    each.forEach((bundle, k) => {
      const ordinal = ordinals.get(lower) || 0;
      ordinals.set(lower, ordinal + 1);
      const path = route(a, b, (k - (each.length - 1) / 2) * 9, ordinal);
      const line = drawLine(path, bundle, isGroup ? Math.min(4, 1.4 + Math.log2(bundle.length) / 3) : 1.8);
      line.isBehind = isFramed(a) !== isFramed(b);
      lines.push(line);
    });
  }
  // What is wrong lies above what is not.
  return lines.sort((a, b) => STATES.indexOf(a.state) - STATES.indexOf(b.state));
}

function draw() {
  drawing.focused = 0;
  drawing.boxOf = [];
  view().boxes.forEach((box, index) => box.nodes.forEach((node) => { drawing.boxOf[node] = index; }));
  drawing.boxes = view().boxes.map(drawBox);
  drawing.lines = drawCables();
  const behind = drawing.lines.filter((line) => line.isBehind);
  const before = drawing.lines.filter((line) => !line.isBehind);
  const frames = view().frames.map((frame) => makeSvg('g', {class: 'frame'},
    makeSvg('rect', {x: frame.x, y: frame.y, width: frame.width, height: frame.height, rx: 8}),
    frame.title ? makeSvg('text', {x: frame.x + 14, y: frame.y + 20}, frame.title) : null));
  drawing.svg.replaceChildren(
    makeSvg('g', {}, behind.map((line) => line.element)),
    makeSvg('g', {}, frames),
    makeSvg('g', {}, before.map((line) => line.element)),
    makeSvg('g', {}, drawing.boxes.map((each) => each.element)));
  showAll();
  fade();
}

// --- What is faded, and what is chosen.

function fade() {
  const subject = chosen.subject;
  const nodes = new Set(subject && subject.nodes ? subject.nodes : []);
  const cables = new Set(subject && subject.cables ? subject.cables : []);
  for (const {box, element} of drawing.boxes) {
    element.classList.toggle('out', !box.nodes.some(nodeIsIn));
    element.classList.toggle('chosen', box.nodes.some((node) => nodes.has(node)));
  }
  for (const line of drawing.lines) {
    line.element.classList.toggle('out', !line.cables.some(cableIsIn));
    line.element.classList.toggle('chosen', line.cables.some((cable) => cables.has(cable) ||
      data.cables[cable].nodes.some((node) => nodes.has(node) && nodes.size === 1)));
  }
}

// --- What is seen of it.

function look(x, y, width, height) {
  drawing.window = {x, y, width, height};
  drawing.svg.setAttribute('viewBox', [x, y, width, height].join(' '));
}

function showAll() {
  // Small fabrics are not blown up.
  const width = Math.max(view().width, 640);
  const height = Math.max(view().height, 220);
  look((view().width - width) / 2, (view().height - height) / 2, width, height);
}

// Where a zoom without a mouse goes to: the box in focus, else the middle.
function middleOfInterest() {
  const seen = drawing.window;
  if (drawing.svg.contains(document.activeElement)) return drawing.boxes[drawing.focused].box;
  return {x: seen.x + seen.width / 2, y: seen.y + seen.height / 2};
}

function zoom(factor, at = middleOfInterest()) {
  const seen = drawing.window;
  if (seen.width * factor > 4 * Math.max(view().width, 640) || seen.width * factor < 150) return;
  look(at.x - (at.x - seen.x) * factor, at.y - (at.y - seen.y) * factor, seen.width * factor, seen.height * factor);
}

function pointIn(event) {
  const matrix = drawing.svg.getScreenCTM();
  return new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
}

function reveal(box) {
  const seen = drawing.window;
  const margin = view().box_width;
  const isSeen = box.x > seen.x && box.x < seen.x + seen.width && box.y > seen.y && box.y < seen.y + seen.height;
  if (!isSeen) look(box.x - seen.width / 2 + margin / 2, box.y - seen.height / 2, seen.width, seen.height);
}

// Near enough to be read.
function approach(box) {
  const pixels = drawing.svg.clientWidth;
  const seen = drawing.window;
  const scale = Math.min(pixels / seen.width, drawing.svg.clientHeight / seen.height);
  if (scale >= 0.5) {
    reveal(box);
    return;
  }
  const width = pixels / 0.9;
  const height = drawing.svg.clientHeight / 0.9;
  look(box.x - width / 2, box.y - height / 2, width, height);
}

// --- From box to box.

function focusBox(index) {
  drawing.boxes[drawing.focused].element.setAttribute('tabindex', -1);
  drawing.focused = index;
  const {box, element} = drawing.boxes[index];
  element.setAttribute('tabindex', 0);
  reveal(box);
  element.focus({preventScroll: true});
}

// The nearest box that is in, in a direction; what is off to the side counts as farther away.
function neighbour(from, dx, dy) {
  let best = -1;
  let least = Infinity;
  drawing.boxes.forEach(({box, element}, index) => {
    if (element.classList.contains('out')) return;
    const along = (box.x - from.x) * dx + (box.y - from.y) * dy;
    const aside = Math.abs((box.x - from.x) * dy) + Math.abs((box.y - from.y) * dx);
    if (along <= 0 || along + 3 * aside >= least) return;
    least = along + 3 * aside;
    best = index;
  });
  return best;
}

function selectBox(index) {
  const box = view().boxes[index];
  select({nodes: box.nodes, title: boxName(box)});
}

const ARROWS = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]};

function onDrawingKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const arrow = ARROWS[event.key];
  if (arrow) {
    const next = neighbour(drawing.boxes[drawing.focused].box, arrow[0], arrow[1]);
    if (next >= 0) focusBox(next);
  } else if (event.key === 'Home' || event.key === 'End') {
    focusBox(event.key === 'Home' ? 0 : drawing.boxes.length - 1);
  } else if (event.key === 'Enter' || event.key === ' ') {
    selectBox(drawing.focused);
  } else {
    return;
  }
  event.preventDefault();
}

function watchDrawing() {
  let grabbed = null;
  drawing.svg.addEventListener('keydown', onDrawingKey);
  drawing.svg.addEventListener('wheel', (event) => {
    // A page is scrolled by the wheel alone.
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    const point = pointIn(event);
    zoom(event.deltaY > 0 ? 1.2 : 1 / 1.2, point);
  }, {passive: false});
  drawing.svg.addEventListener('pointerdown', (event) => {
    if (!event.target.closest('.box, .cable')) grabbed = pointIn(event);
  });
  drawing.svg.addEventListener('pointermove', (event) => {
    if (!grabbed) return;
    const point = pointIn(event);
    const seen = drawing.window;
    look(seen.x + grabbed.x - point.x, seen.y + grabbed.y - point.y, seen.width, seen.height);
  });
  window.addEventListener('pointerup', () => { grabbed = null; });
}
