#pragma once

/// The names of countries in every language, coded as gzip; scripts/generate-country-names says in which form.
const unsigned char *ccountries_bytes(void);
unsigned long ccountries_size(void);
