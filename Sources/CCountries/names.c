// #embed is of C23, which is not the language of this package; clang has it in all.
#pragma clang diagnostic ignored "-Wc23-extensions"
#include "countries.h"

static const unsigned char bytes[] = {
#embed "names.gz"
};

const unsigned char *ccountries_bytes(void) { return bytes; }

unsigned long ccountries_size(void) { return sizeof bytes; }
