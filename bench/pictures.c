// Makes JPEGs that look like photographs to a codec, the same ones for every run.
//
//   pictures FOLDER COUNT SEED
//
// Each is a picture of "dead leaves", the usual model of what natural pictures have in common: discs in front of each
// other whose radii follow a law of r^-3, so that there are edges and smooth places of all sizes; shaded, and under a
// little noise as of a sensor. 0.1 to 1 megapixel, wide and high, of qualities 75 to 92, some progressive, some with a
// colour profile.
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <vips/vips.h>

static const double smallest = 0.1e6, largest = 1e6;
static const double least_radius = 5.0;

// SplitMix64.
static uint64_t state;

static uint64_t next_number(void) {
    uint64_t z = state += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

/// Evenly in [low, high).
static double between(double low, double high) { return low + (high - low) * (double)(next_number() >> 11) * 0x1p-53; }

static uint8_t clamped(double value) { return value < 0 ? 0 : value > 255 ? 255 : (uint8_t)value; }

static void paint_disc(float *pixels, int width, int height, double greatest) {
    // The inverse of the distribution function of r^-3 between both radii.
    double share = between(0, 1);
    double radius = 1 / sqrt((1 - share) / (least_radius * least_radius) + share / (greatest * greatest));
    double x = between(-radius, width + radius), y = between(-radius, height + radius);
    double light = between(20, 235), slope = between(-50, 50) / radius, lean = between(-50, 50) / radius;
    double tint[3];
    for (int band = 0; band < 3; band++) tint[band] = light + between(-45, 45);
    int top = (int)fmax(0, ceil(y - radius)), bottom = (int)fmin(height - 1, floor(y + radius));
    for (int row = top; row <= bottom; row++) {
        double half = sqrt(radius * radius - (row - y) * (row - y));
        int left = (int)fmax(0, ceil(x - half)), right = (int)fmin(width - 1, floor(x + half));
        for (int column = left; column <= right; column++) {
            float *pixel = pixels + 3 * ((size_t)row * width + column);
            double shade = slope * (column - x) + lean * (row - y);
            for (int band = 0; band < 3; band++) pixel[band] = (float)(tint[band] + shade);
        }
    }
}

static void paint(uint8_t *bytes, float *pixels, int width, int height) {
    size_t count = (size_t)width * height;
    double greatest = fmin(width, height) / 3.0;
    for (size_t index = 0; index < 3 * count; index++) pixels[index] = 128;
    // Some four in front of every place: the mean area of a disc follows from the law.
    double area = 2 * 3.14159265 * least_radius * least_radius * log(greatest / least_radius);
    for (size_t disc = 0; disc < (size_t)(4 * (double)count / area); disc++) paint_disc(pixels, width, height, greatest);
    for (size_t index = 0; index < count; index++) {
        // The sum of eight bytes is near a normal distribution, of a deviation of 209.
        uint64_t number = next_number();
        int sum = 0;
        for (int byte = 0; byte < 8; byte++) sum += (number >> (8 * byte)) & 0xFF;
        double noise = (sum - 1020) * (2.0 / 209);
        for (int band = 0; band < 3; band++) bytes[3 * index + band] = clamped(pixels[3 * index + band] + noise);
    }
}

int main(int count, char **arguments) {
    if (count != 4 || VIPS_INIT(arguments[0])) {
        fprintf(stderr, "usage: pictures FOLDER COUNT SEED\n");
        return 64;
    }
    state = strtoull(arguments[3], NULL, 10);
    size_t room = (size_t)(3 * largest * 1.1);
    uint8_t *bytes = malloc(room);
    float *pixels = malloc(room * sizeof *pixels);
    if (!bytes || !pixels) return 2;
    for (int number = 0; number < atoi(arguments[2]); number++) {
        double shape = (const double[]){3.0 / 2, 4.0 / 3, 16.0 / 9, 1, 3.0 / 4, 2.0 / 3}[next_number() % 6];
        double size = between(smallest, largest);
        int width = (int)sqrt(size * shape), height = (int)sqrt(size / shape);
        paint(bytes, pixels, width, height);
        VipsImage *image = vips_image_new_from_memory(bytes, 3 * (size_t)width * height, width, height, 3, VIPS_FORMAT_UCHAR);
        char path[4096];
        snprintf(path, sizeof path, "%s/%04d.jpg", arguments[1], number);
        int quality = 75 + (int)(next_number() % 18);
        gboolean progressive = next_number() % 5 == 0;
        const char *profile = next_number() % 4 == 0 ? "srgb" : NULL;
        if (!image || vips_jpegsave(image, path, "Q", quality, "interlace", progressive, "profile", profile, NULL)) {
            fprintf(stderr, "pictures: %s: %s\n", path, vips_error_buffer());
            return 2;
        }
        g_object_unref(image);
    }
    free(pixels);
    free(bytes);
    return 0;
}
