# SPDX-License-Identifier: Apache-2.0
"""The file of a card that is not there (card.c), made from what a card lists and from the tool's own database.

The lines of the file, in any order:

    hardware 20d                  the hardware id by which the tool knows the card
    ports 2
    name MCX556A-ECA_Ax
    description ...
    shows default                 the firmware tells the values of the factory
    shows current                 and those of the last boot
    loads by reboot               a warm reboot is enough; without the line the tool asks for a power cycle
    item TYPE rw VERSION DEFAULT CURRENT NEXT

An item is a group of parameters (TLV): its type and its three values are hexadecimal. `r` in place of `rw` is read-only; with `R` or
`W` in place of a letter the card says that it can, and refuses. Where in an item a parameter lies, and of which capabilities it
depends, is in mlxconfig_host.db of the package.
"""
import dataclasses
import re
import sqlite3

# Device type: hardware id (mstflint, dev_mgt/tools_dev_types.c).
HARDWARE = {"ConnectIB": 0x1ff, "ConnectX4": 0x209, "ConnectX4LX": 0x20b, "ConnectX5": 0x20d, "ConnectX6": 0x20f, "ConnectX6DX": 0x212,
            "ConnectX6LX": 0x216, "ConnectX7": 0x218, "ConnectX8": 0x21e, "BlueField": 0x211, "BlueField2": 0x214, "BlueField3": 0x21c}
PORT_CLASS = 1
LAYERS = ("default", "current", "next")


@dataclasses.dataclass
class Group:
    """A row of the table tlvs."""
    name: str
    id: int
    size: int
    of_class: int
    is_capability: bool  # of the card, and read-only

    def type_of(self, port):
        of_port = port << 16 if self.of_class == PORT_CLASS else 0
        return self.of_class << 24 | of_port | self.id


@dataclasses.dataclass
class Field:
    """A row of the table params: a parameter, a capability, or a bit that says that a parameter is valid."""
    group: str
    offset: int  # of its 32-bit word, in bytes
    bit: int     # its lowest, of the word
    bits: int    # of one element
    length: int  # of an array, else 0
    depends: str
    valid_bit: str
    since: int
    listed: str  # its name for whoever sets it; "" = nobody does
    least: str   # what its value has to be, or the capability that tells
    most: str

    def place(self, index):
        """Elements of an array follow each other from the high end of the first word on."""
        bit = self.bit - index * self.bits
        words = -(bit // 32)
        return self.offset + 4 * words, bit + 32 * words


def read(item, field, index=0):
    offset, bit = field.place(index)
    return int.from_bytes(item[offset:offset + 4], "big") >> bit & (1 << field.bits) - 1


def _number_pair(text):
    word, bit = text.split(".")
    return int(word, 16), int(bit)


class Database:
    def __init__(self, path):
        connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        self.groups = {name: Group(name, number, size, of_class, bool(cap)) for name, number, size, of_class, cap in
                       connection.execute("select name, id, size, class, cap from tlvs")}
        self.parameters, self.fields = {}, {}
        for name, group, offset, size, depends, valid_bit, since, length, least, most, listed in connection.execute(
                "select name, tlv_name, offset, size, dependency, valid_bit, supported_from_version, array_length, min_val, max_val,"
                " mlxconfig_name from params"):
            word, bit = _number_pair(offset)
            whole, rest = _number_pair(size)
            bits = whole * 8 + rest
            field = Field(group, word, bit, bits // length if length else bits, length, depends or "", valid_bit or "", since or 0,
                          listed or "", least or "", most or "")
            self.fields[group, name] = field
            if listed:
                self.parameters[listed] = field

    def find(self, parameter):
        """Its field and its port; None if the tool does not know it."""
        base = parameter.partition("[")[0]
        if base in self.parameters:
            return self.parameters[base], 0
        match = re.fullmatch(r"(.*)_P(\d)", base)
        if match and match[1] in self.parameters and self.groups[self.parameters[match[1]].group].of_class == PORT_CLASS:
            return self.parameters[match[1]], int(match[2])
        return None


class Card:
    def __init__(self, database, hardware, ports, name, description):
        self.database = database
        self.head = [f"hardware {HARDWARE[hardware]:x}", f"ports {ports}", f"name {name}", f"description {description}"]
        self.shows, self.loads_by_reboot = list(LAYERS[:2]), True
        self.items = {}  # type: (group, {layer: bytes})
        self.versions = {}
        self.access = {}  # group: letters; else a capability is read-only and all the rest is not

    def _item(self, group, port):
        found = self.database.groups[group]
        return self.items.setdefault(found.type_of(port), (group, {layer: bytearray(found.size) for layer in LAYERS}))[1]

    def _put(self, field, port, index, layer, value):
        offset, bit = field.place(index)
        data = self._item(field.group, port)[layer]
        word = int.from_bytes(data[offset:offset + 4], "big")
        mask = (1 << field.bits) - 1 << bit
        data[offset:offset + 4] = (word & ~mask | value << bit & mask).to_bytes(4, "big")

    def add(self, parameter, default, current, following):
        """False if the tool does not know the parameter. An element of an array is NAME[3]."""
        found = self.database.find(parameter)
        if found is None:
            return False
        field, port = found
        index = int(parameter.partition("[")[2][:-1] or 0)
        for layer, value in zip(LAYERS, (default, current, following)):
            self._put(field, port, index, layer, value)
            # The tool shows the factory's value in place of one that is not marked as valid.
            if field.valid_bit and value != default:
                self._put(self.database.fields[field.group, field.valid_bit], port, 0, layer, 1)
        self.versions[field.group] = max(self.versions.get(field.group, 0), field.since)
        for group, name, relation, number in re.findall(r"\$(\w+)\.(\w+)\s*(==|!=|>)\s*(\d+)", field.depends):
            # Another parameter that has to be set first is none of the card's abilities.
            if not self.database.fields[group, name].listed:
                self.can(f"{group}.{name}", int(number) + (relation != "=="), port)
        return True

    def complete(self):
        """A set writes the whole item, and the tool judges each parameter of it: those that nobody has listed too."""
        for number, (group, layers) in list(self.items.items()):
            if self.database.groups[group].is_capability:
                continue
            port = number >> 16 & 0xff if self.database.groups[group].of_class == PORT_CLASS else 0
            for field in [field for (of, _), field in self.database.fields.items() if of == group]:
                if field.least.isdigit() and not read(layers["default"], field):
                    for layer in LAYERS:
                        self._put(field, port, 0, layer, int(field.least))
                for of, name, condition in re.findall(r"\$(\w+)\.(\w+)(==1)?", field.most):
                    bits = self.database.fields[of, name].bits
                    self.can(f"{of}.{name}", 1 if condition else (1 << bits) - 1, port)

    def can(self, capability, value, port=0):
        group, name = capability.split(".")
        if (group, name) in self.database.fields:
            for layer in LAYERS:
                self._put(self.database.fields[group, name], port, 0, layer, value)

    def text(self):
        lines = self.head + [f"shows {layer}" for layer in self.shows] + ["loads by reboot"] * self.loads_by_reboot
        for number, (group, layers) in sorted(self.items.items()):
            access = self.access.get(group, "r" if self.database.groups[group].is_capability else "rw")
            lines.append(" ".join([f"item {number:08x} {access} {self.versions.get(group, 0)}"] + [layers[layer].hex() for layer in LAYERS]))
        return "\n".join(lines) + "\n"


def boot(path):
    """The firmware starts: what waited for the next boot is in force."""
    lines = path.read_text().splitlines()
    for number, line in enumerate(lines):
        if line.startswith("item "):
            words = line.split()
            words[5] = words[6]
            lines[number] = " ".join(words)
    path.write_text("\n".join(lines) + "\n")


def values(database, text):
    """A function of a parameter's name: its three values in this file. One that is not marked as valid has the factory's."""
    items = {int(words[1], 16): [bytes.fromhex(word) for word in words[4:7]] for words in map(str.split, text.splitlines())
             if words[0] == "item"}

    def of(parameter):
        field, port = database.find(parameter)
        item = items.get(database.groups[field.group].type_of(port))
        if item is None:
            return (0, 0, 0)
        index = int(parameter.partition("[")[2][:-1] or 0)
        valid = database.fields.get((field.group, field.valid_bit))
        return tuple(read(item[layer if not valid or read(item[layer], valid) else 0], field, index) for layer in range(3))
    return of
