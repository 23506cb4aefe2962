#pragma once
#include <brotli/decode.h>
#include <zlib.h>
#include <zstd.h>

// A macro in zlib.h. The window's bits also choose the format: 15 zlib, 31 gzip, -15 neither's header.
static inline int ccoding_deflate_init(z_stream *stream, int level, int window_bits) {
    return deflateInit2(stream, level, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY);
}
static inline int ccoding_inflate_init(z_stream *stream, int window_bits) { return inflateInit2(stream, window_bits); }
