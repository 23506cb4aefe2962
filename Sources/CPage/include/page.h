#pragma once

/// The files of the page, as scripts/embed-page packs them: a line for each file (path, media type, SHA-256, bytes coded as
/// gzip, bytes; separated by tabs), an empty line, and the files coded as gzip, in the order of the lines.
const unsigned char *cpage_bytes(void);
unsigned long cpage_size(void);
