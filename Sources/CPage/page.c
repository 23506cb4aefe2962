// #embed is of C23, which is not the language of this package; clang has it in all.
#pragma clang diagnostic ignored "-Wc23-extensions"
#include "page.h"

static const unsigned char bytes[] = {
#embed "page.pack"
};

const unsigned char *cpage_bytes(void) { return bytes; }

unsigned long cpage_size(void) { return sizeof bytes; }
