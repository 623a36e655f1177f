// SPDX-License-Identifier: Apache-2.0
// A card that is not there, for the real mstconfig. It is loaded before the tool (LD_PRELOAD) and answers what the tool
// asks of /dev/fwctl/*: the command ACCESS_REG of mlx5, sent by ioctl(FWCTL_RPC).
//
// The card is the file that FABRIC_CARD names. cards.py makes it and describes its lines; what the tool sets is written
// to it. FABRIC_CARD_LOG, if set, gets a line for each register that the card does not have.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// linux/fwctl.h, which Debian 12's headers lack.
enum { kInfo = 0x9a00, kRpc = 0x9a01, kDeviceTypeMlx5 = 1 };
struct fwctl_info {
  uint32_t size, flags, device_type, data_length;
  uint64_t data;
};
struct fwctl_rpc {
  uint32_t size, flags, in_length, out_length;
  uint64_t in, out;
};

enum { kAccessRegister = 0x805, kWrite = 0, kHeader = 16 };  // the register follows the command's header
enum { kOk = 0, kBadOperation = 2, kBadParameter = 3, kBadState = 4, kBadResource = 5, kBadInputLength = 0x50 };
enum {
  kMgir = 0x9020,   // which chip, and how many ports
  kMnvda = 0x9024,  // reads and writes an item
  kMnvdi = 0x9025,  // resets an item
  kMfrl = 0x9028,   // has the next warm reboot load what is set
  kMnvqc = 0x9030,  // may an item be read and written?
  kMnvia = 0x9033,  // resets all
  kMnvgc = 0x9034,  // which layers are told
  kMnvgn = 0x9035,  // walks through the items that somebody has set
  kMqis = 0x9064    // name and description
};
enum { kDefault, kCurrent, kNext, kLayers };
enum { kItemHeader = 12, kMostBytes = 256, kMostItems = 1024 };

struct item {  // of the flash: a TLV
  uint32_t type;
  char access[4];  // r, w: told to the tool, and done; R, W: told and refused
  unsigned version, length;
  uint8_t layers[kLayers][kMostBytes];
};

static struct {
  unsigned hardware, ports, items;
  int shows_default, shows_current, loads_by_reboot;
  char name[64], description[256];
  struct item item[kMostItems];
} card;
static int card_fd = -1;

static uint32_t get32(const uint8_t *at) {
  uint32_t value;
  memcpy(&value, at, sizeof value);
  return ntohl(value);
}

static void put32(uint8_t *at, uint32_t value) {
  value = htonl(value);
  memcpy(at, &value, sizeof value);
}

static unsigned from_hex(const char *text, uint8_t *bytes) {
  unsigned length = 0;
  for (unsigned byte; length < kMostBytes && sscanf(text + 2 * length, "%2x", &byte) == 1; ++length) bytes[length] = (uint8_t)byte;
  return length;
}

static void read_item(const char *line) {
  struct item *item = &card.item[card.items];
  char text[kLayers][2 * kMostBytes + 1];
  if (card.items == kMostItems ||
      sscanf(line, "item %x %3s %u %512s %512s %512s", &item->type, item->access, &item->version, text[0], text[1], text[2]) != 6)
    return;
  for (int layer = 0; layer < kLayers; ++layer) item->length = from_hex(text[layer], item->layers[layer]);
  ++card.items;
}

static int read_card(void) {
  const char *path = getenv("FABRIC_CARD");
  FILE *file = path ? fopen(path, "r") : NULL;
  if (file == NULL) return -1;
  static char line[4 * 2 * kMostBytes];
  memset(&card, 0, sizeof card);
  while (fgets(line, sizeof line, file)) {
    read_item(line);
    sscanf(line, "hardware %x", &card.hardware);
    sscanf(line, "ports %u", &card.ports);
    sscanf(line, "name %63[^\n]", card.name);
    sscanf(line, "description %255[^\n]", card.description);
    card.shows_default |= !strcmp(line, "shows default\n");
    card.shows_current |= !strcmp(line, "shows current\n");
    card.loads_by_reboot |= !strcmp(line, "loads by reboot\n");
  }
  fclose(file);
  return 0;
}

static int write_card(void) {
  FILE *file = fopen(getenv("FABRIC_CARD"), "w");
  if (file == NULL) return kBadState;
  fprintf(file, "hardware %x\nports %u\nname %s\ndescription %s\n", card.hardware, card.ports, card.name, card.description);
  if (card.shows_default) fprintf(file, "shows default\n");
  if (card.shows_current) fprintf(file, "shows current\n");
  if (card.loads_by_reboot) fprintf(file, "loads by reboot\n");
  for (const struct item *item = card.item; item < card.item + card.items; ++item) {
    fprintf(file, "item %08x %s %u", item->type, item->access, item->version);
    for (int layer = 0; layer < kLayers; ++layer) {
      fputc(' ', file);
      for (unsigned i = 0; i < item->length; ++i) fprintf(file, "%02x", item->layers[layer][i]);
    }
    fputc('\n', file);
  }
  return fclose(file) == 0 ? kOk : kBadState;
}

static struct item *find(uint32_t type) {
  for (unsigned i = 0; i < card.items; ++i)
    if (card.item[i].type == type) return &card.item[i];
  return NULL;
}

static int data_of_item(int write, uint8_t *data, unsigned size) {
  struct item *item = find(get32(data + 4));
  const uint32_t flags = get32(data);
  // The tool reads items of the boot ROM without asking whether there are any.
  if (item == NULL) return write ? kBadParameter : kBadResource;
  if (size < kItemHeader + item->length) return kBadInputLength;
  if (write) {
    if (strchr(item->access, 'w') == NULL) return kBadState;
    if ((flags & 0x1ff) != item->length) return kBadInputLength;
    memcpy(item->layers[kNext], data + kItemHeader, item->length);
    return write_card();
  }
  if (strchr(item->access, 'r') == NULL) return kBadState;
  const int layer = flags & 1U << 23 ? kDefault : flags & 1U << 22 ? kCurrent : kNext;
  put32(data, (flags & ~0x1ffU) | item->length);
  memset(data + kItemHeader, 0, size - kItemHeader);
  memcpy(data + kItemHeader, item->layers[layer], item->length);
  return kOk;
}

static int reset_item(struct item *item) {
  if (item == NULL) return kBadParameter;
  memcpy(item->layers[kNext], item->layers[kDefault], sizeof item->layers[kNext]);
  return kOk;
}

// The place of an item is its number, from 1; none is left at 0. Header and data follow as in MNVDA.
static int next_item(uint8_t *data, unsigned size) {
  unsigned place = get32(data);
  const struct item *item;
  do {
    item = place < card.items ? &card.item[place] : NULL;
    ++place;
  } while (item != NULL && memcmp(item->layers[kNext], item->layers[kDefault], item->length) == 0);
  put32(data, item == NULL ? 0 : place);
  if (item == NULL) return kOk;
  if (size < kHeader + kItemHeader + item->length) return kBadInputLength;
  enum { kByMlxconfig = 9 << 16, kMayBeWrittenOver = 1 << 25 };
  put32(data + kHeader, kMayBeWrittenOver | kByMlxconfig | item->version << 12 | item->length);
  put32(data + kHeader + 4, item->type);
  memcpy(data + kHeader + kItemHeader, item->layers[kNext], item->length);
  return kOk;
}

// The text comes in pieces of eight bytes.
static int text_of_card(uint8_t *data, unsigned size) {
  const char *text = data[3] == 1 ? card.name : card.description;
  const unsigned all = (unsigned)strlen(text), begin = get32(data + 8) >> 16, asked = get32(data + 8) & 0xffff;
  if (data[3] != 1 && data[3] != 2) return kBadParameter;
  put32(data + 4, all);
  for (unsigned i = 0; i < asked && kHeader + i < size; ++i) data[kHeader + i] = (uint8_t)(begin + i < all ? text[begin + i] : 0);
  return kOk;
}

static int access_register(unsigned id, int write, uint8_t *data, unsigned size) {
  const struct item *item;
  switch (id) {
    case kMgir:
      data[5] = (uint8_t)card.ports;
      put32(data + 8, card.hardware);
      return kOk;
    case kMnvqc:
      item = find(get32(data));
      put32(data + 4, item == NULL ? 0 : item->version << 4 | (strpbrk(item->access, "wW") ? 3 : 1));
      return kOk;
    case kMnvgc:
      put32(data, (uint32_t)card.shows_default | (uint32_t)card.shows_current << 1);
      return kOk;
    case kMnvgn: return next_item(data, size);
    case kMqis: return text_of_card(data, size);
    case kMnvda: return data_of_item(write, data, size);
    case kMnvdi: return reset_item(find(get32(data + 4))) == kOk ? write_card() : kBadParameter;
    case kMnvia:
      for (unsigned i = 0; i < card.items; ++i) reset_item(&card.item[i]);
      return write_card();
    case kMfrl: return card.loads_by_reboot ? kOk : kBadParameter;
    default: break;
  }
  const char *path = getenv("FABRIC_CARD_LOG");
  FILE *log = path ? fopen(path, "a") : NULL;
  if (log != NULL) {
    fprintf(log, "%s of register 0x%04x, %u bytes\n", write ? "write" : "read", id, size);
    fclose(log);
  }
  return kBadParameter;
}

static int answer(const struct fwctl_rpc *rpc) {
  const uint8_t *in = (const uint8_t *)(uintptr_t)rpc->in;
  uint8_t *out = (uint8_t *)(uintptr_t)rpc->out;
  memset(out, 0, rpc->out_length);
  if (rpc->in_length < kHeader || rpc->out_length < rpc->in_length || get32(in) >> 16 != kAccessRegister) {
    out[0] = kBadOperation;
    return 0;
  }
  memcpy(out + kHeader, in + kHeader, rpc->in_length - kHeader);
  out[0] = (uint8_t)access_register(get32(in + 8) & 0xffff, (get32(in + 4) & 0xffff) == kWrite, out + kHeader, rpc->in_length - kHeader);
  return 0;
}

static int open_by(const char *function, const char *path, int flags, int mode) {
  int (*next)(const char *, int, ...) = dlsym(RTLD_NEXT, function);
  if (path == NULL || strncmp(path, "/dev/fwctl/", 11) != 0) return next(path, flags, mode);
  if (read_card() != 0) {
    errno = ENODEV;
    return -1;
  }
  return card_fd = next(getenv("FABRIC_CARD"), O_RDONLY);  // any file: nobody reads it by this number
}

#define OPEN(name)                                     \
  int name(const char *path, int flags, ...) {         \
    va_list rest;                                      \
    va_start(rest, flags);                             \
    const int mode = va_arg(rest, int);                \
    va_end(rest);                                      \
    return open_by(#name, path, flags, mode);          \
  }
OPEN(open)
OPEN(open64)

int ioctl(int fd, unsigned long request, ...) {
  va_list rest;
  va_start(rest, request);
  void *argument = va_arg(rest, void *);
  va_end(rest);
  if (fd != card_fd || card_fd < 0) {
    int (*next)(int, unsigned long, ...) = dlsym(RTLD_NEXT, "ioctl");
    return next(fd, request, argument);
  }
  if ((request & 0xffff) == kRpc) return answer(argument);
  if ((request & 0xffff) == kInfo) {
    ((struct fwctl_info *)argument)->device_type = kDeviceTypeMlx5;
    ((struct fwctl_info *)argument)->data_length = 0;
    return 0;
  }
  errno = ENOTTY;
  return -1;
}
