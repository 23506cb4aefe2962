// The floor of the measurements: the least that a program can do that fetches many files with libcurl's multi interface.
//
//   floor IN_FLIGHT LIST FOLDER [CA_FILE]
//
// LIST has a URL a line; a file is named after the last segment of its URL. There is no hash, no check of what came but
// its status, no temporary name, no retry and no record of anything. It ends with status 1 when a transfer failed.
#include <curl/curl.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct transfer {
    CURL *easy;
    int file;
};

static CURLM *multi;
static FILE *list;
static int folder;
static long running, failures;

static void die(const char *what) {
    fprintf(stderr, "floor: %s: %s\n", what, strerror(errno));
    exit(2);
}

static size_t take(char *bytes, size_t size, size_t count, void *context) {
    const struct transfer *transfer = context;
    size_t rest = size * count;
    while (rest > 0) {
        ssize_t written = write(transfer->file, bytes, rest);
        if (written < 0) return 0;
        bytes += written;
        rest -= (size_t)written;
    }
    return size * count;
}

// Gives the transfer the next URL of the list; false at its end.
static int start_next(struct transfer *transfer) {
    static char *line;
    static size_t capacity;
    ssize_t length = getline(&line, &capacity, list);
    if (length <= 0) return 0;
    line[strcspn(line, "\n")] = 0;
    const char *slash = strrchr(line, '/');
    transfer->file = openat(folder, slash ? slash + 1 : line, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (transfer->file < 0) die(line);
    curl_easy_setopt(transfer->easy, CURLOPT_URL, line);
    curl_multi_add_handle(multi, transfer->easy);
    running++;
    return 1;
}

static void finish(const CURLMsg *message) {
    struct transfer *transfer;
    CURL *easy = message->easy_handle;
    if (message->data.result != CURLE_OK) {
        fprintf(stderr, "floor: %s\n", curl_easy_strerror(message->data.result));
        failures++;
    }
    curl_easy_getinfo(easy, CURLINFO_PRIVATE, (char **)&transfer);
    curl_multi_remove_handle(multi, easy);
    close(transfer->file);
    running--;
    start_next(transfer);
}

int main(int count, char **arguments) {
    if (count < 4) {
        fprintf(stderr, "usage: floor IN_FLIGHT LIST FOLDER [CA_FILE]\n");
        return 64;
    }
    long in_flight = atol(arguments[1]);
    list = fopen(arguments[2], "re");
    if (!list) die(arguments[2]);
    folder = open(arguments[3], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) die(arguments[3]);
    curl_global_init(CURL_GLOBAL_DEFAULT);
    multi = curl_multi_init();
    curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, in_flight);
    struct transfer *transfers = calloc((size_t)in_flight, sizeof *transfers);
    for (long index = 0; index < in_flight; index++) {
        struct transfer *transfer = &transfers[index];
        transfer->easy = curl_easy_init();
        curl_easy_setopt(transfer->easy, CURLOPT_PRIVATE, transfer);
        curl_easy_setopt(transfer->easy, CURLOPT_WRITEFUNCTION, take);
        curl_easy_setopt(transfer->easy, CURLOPT_WRITEDATA, transfer);
        curl_easy_setopt(transfer->easy, CURLOPT_FAILONERROR, 1L);
        curl_easy_setopt(transfer->easy, CURLOPT_NOSIGNAL, 1L);
        curl_easy_setopt(transfer->easy, CURLOPT_PIPEWAIT, 1L);
        if (count > 4) curl_easy_setopt(transfer->easy, CURLOPT_CAINFO, arguments[4]);
        if (!start_next(transfer)) break;
    }
    while (running > 0) {
        int active, left;
        curl_multi_perform(multi, &active);
        // All messages and all refills before the wait: a message that is left would wait for its time-out.
        const CURLMsg *message;
        while ((message = curl_multi_info_read(multi, &left))) finish(message);
        if (running > 0) curl_multi_poll(multi, NULL, 0, 1000, NULL);
    }
    return failures > 0;
}
