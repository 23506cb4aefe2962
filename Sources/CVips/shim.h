// Calls of libvips that take a varying number of arguments, one function for each way in which they are used.
#pragma once
#include <vips/vips.h>

/// Starts the library; 0, or -1 with the reason in its error buffer.
static inline int cvips_start(const char *program) { return VIPS_INIT(program); }

/// Opens a picture to read its header, and its pixels from top to bottom. Nil where no loader takes it.
static inline VipsImage *cvips_open(VipsSource *source) {
    return vips_image_new_from_source(source, "", "access", VIPS_ACCESS_SEQUENTIAL, NULL);
}

/// Opens a page, from 0, of a PDF.
static inline int cvips_open_page(VipsSource *source, VipsImage **page, int number, double dpi) {
    return vips_pdfload_source(source, page, "page", number, "n", 1, "dpi", dpi, "access", VIPS_ACCESS_SEQUENTIAL, NULL);
}

/// Shrinks a picture into a square, turned as its metadata says, its colours those of sRGB: by its colour profile where
/// it has one, else as its kind is understood.
///
/// What has no profile is sRGB before it is shrunk. Naming a profile all the same would send it through the space of
/// profiles and back, which takes as long as all the rest.
static inline int cvips_thumbnail(
    VipsSource *source, VipsImage **thumbnail, const char *options, int size, VipsSize mode, int has_profile) {
    const char *profile = has_profile ? "srgb" : NULL;
    return vips_thumbnail_source(
        source, thumbnail, size, "option_string", options, "height", size, "size", mode, "export_profile", profile, NULL);
}

/// Draws an SVG document at a thousandth of its size, which is as small as the loader can.
static inline int cvips_open_drawing(VipsSource *source, VipsImage **image) {
    return vips_svgload_source(source, image, "scale", 0.001, "access", VIPS_ACCESS_SEQUENTIAL, NULL);
}

/// Shrinks a picture that is open into a square.
static inline int cvips_shrink(VipsImage *image, VipsImage **thumbnail, int size) {
    return vips_thumbnail_image(image, thumbnail, size, "height", size, "size", VIPS_SIZE_DOWN, NULL);
}

/// Computes a picture once and for all: what is only opened gives its pixels from top to bottom, once. Nil where it fails.
static inline VipsImage *cvips_in_memory(VipsImage *image) { return vips_image_copy_memory(image); }

/// The pixels of a picture in memory, shrunk into a square: four bytes each, red, green, blue and opacity. Nil where they
/// cannot be had; else to be freed with g_free.
static inline void *cvips_rgba(VipsImage *image, int size, int *width, int *height, size_t *count) {
    VipsImage *small = NULL, *colours = NULL, *bytes = NULL, *whole = NULL;
    void *pixels = NULL;
    if (!vips_thumbnail_image(image, &small, size, "height", size, "size", VIPS_SIZE_DOWN, NULL) &&
        !vips_colourspace(small, &colours, VIPS_INTERPRETATION_sRGB, NULL) &&
        !vips_cast(colours, &bytes, VIPS_FORMAT_UCHAR, NULL) &&
        !(vips_image_hasalpha(bytes) ? vips_copy(bytes, &whole, NULL) : vips_addalpha(bytes, &whole, NULL)) &&
        whole->Bands == 4 && whole->BandFmt == VIPS_FORMAT_UCHAR) {
        *width = whole->Xsize;
        *height = whole->Ysize;
        pixels = vips_image_write_to_memory(whole, count);
    }
    VipsImage *images[] = {small, colours, bytes, whole};
    for (int i = 0; i < 4; i++)
        if (images[i]) g_object_unref(images[i]);
    return pixels;
}

/// Puts a picture with transparency on white.
static inline int cvips_flatten(VipsImage *image, VipsImage **flat) {
    double white[] = {255, 255, 255};
    VipsArrayDouble *background = vips_array_double_new(white, 3);
    int result = vips_flatten(image, flat, "background", background, NULL);
    vips_area_unref(VIPS_AREA(background));
    return result;
}

static inline int cvips_write_webp(VipsImage *image, void **bytes, size_t *count, int quality) {
    return vips_webpsave_buffer(image, bytes, count, "Q", quality, "strip", TRUE, NULL);
}

static inline int cvips_write_jpeg(VipsImage *image, void **bytes, size_t *count, int quality) {
    return vips_jpegsave_buffer(image, bytes, count, "Q", quality, "strip", TRUE, "optimize_coding", TRUE, NULL);
}

static inline int cvips_write_png(VipsImage *image, void **bytes, size_t *count) {
    return vips_pngsave_buffer(image, bytes, count, "strip", TRUE, NULL);
}

static inline void cvips_unref_source(VipsSource *source) { g_object_unref(source); }
static inline void cvips_unref_image(VipsImage *image) { g_object_unref(image); }

/// The number of pages that a picture's metadata tells; 1 where it tells none.
static inline int cvips_page_count(VipsImage *image) { return vips_image_get_n_pages(image); }
