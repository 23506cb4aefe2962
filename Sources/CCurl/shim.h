#pragma once
#include <curl/curl.h>

// libcurl's setters and getters take a variable argument whose type depends on the option; a wrong width is
// silent garbage. There is one function per argument type, and a callback is set together with its context.

static inline CURLcode ccurl_set_long(CURL *handle, CURLoption option, long value) {
    return (curl_easy_setopt)(handle, option, value);
}

static inline CURLcode ccurl_set_string(CURL *handle, CURLoption option, const char *value) {
    return (curl_easy_setopt)(handle, option, value);
}

static inline CURLcode ccurl_set_pointer(CURL *handle, CURLoption option, void *value) {
    return (curl_easy_setopt)(handle, option, value);
}

static inline CURLcode ccurl_set_list(CURL *handle, CURLoption option, struct curl_slist *value) {
    return (curl_easy_setopt)(handle, option, value);
}

static inline CURLcode ccurl_set_write(CURL *handle, curl_write_callback function, void *context) {
    CURLcode code = (curl_easy_setopt)(handle, CURLOPT_WRITEFUNCTION, function);
    return code ? code : (curl_easy_setopt)(handle, CURLOPT_WRITEDATA, context);
}

// The header callback has the write callback's type without its name.
static inline CURLcode ccurl_set_header(CURL *handle, curl_write_callback function, void *context) {
    CURLcode code = (curl_easy_setopt)(handle, CURLOPT_HEADERFUNCTION, function);
    return code ? code : (curl_easy_setopt)(handle, CURLOPT_HEADERDATA, context);
}

static inline CURLcode ccurl_set_prerequest(CURL *handle, curl_prereq_callback function, void *context) {
    CURLcode code = (curl_easy_setopt)(handle, CURLOPT_PREREQFUNCTION, function);
    return code ? code : (curl_easy_setopt)(handle, CURLOPT_PREREQDATA, context);
}

static inline CURLcode ccurl_set_open_socket(CURL *handle, curl_opensocket_callback function, void *context) {
    CURLcode code = (curl_easy_setopt)(handle, CURLOPT_OPENSOCKETFUNCTION, function);
    return code ? code : (curl_easy_setopt)(handle, CURLOPT_OPENSOCKETDATA, context);
}

static inline CURLcode ccurl_set_close_socket(CURL *handle, curl_closesocket_callback function, void *context) {
    CURLcode code = (curl_easy_setopt)(handle, CURLOPT_CLOSESOCKETFUNCTION, function);
    return code ? code : (curl_easy_setopt)(handle, CURLOPT_CLOSESOCKETDATA, context);
}

static inline CURLcode ccurl_get_long(CURL *handle, CURLINFO info, long *value) {
    return (curl_easy_getinfo)(handle, info, value);
}

static inline CURLcode ccurl_get_offset(CURL *handle, CURLINFO info, curl_off_t *value) {
    return (curl_easy_getinfo)(handle, info, value);
}

static inline CURLcode ccurl_get_string(CURL *handle, CURLINFO info, const char **value) {
    return (curl_easy_getinfo)(handle, info, value);
}

static inline CURLcode ccurl_get_socket(CURL *handle, CURLINFO info, curl_socket_t *value) {
    return (curl_easy_getinfo)(handle, info, value);
}

static inline CURLcode ccurl_get_pointer(CURL *handle, CURLINFO info, void **value) {
    return (curl_easy_getinfo)(handle, info, value);
}

static inline curl_version_info_data *ccurl_version_info(void) { return curl_version_info(CURLVERSION_NOW); }

static inline CURLMcode ccurl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
    return (curl_multi_setopt)(multi, option, value);
}

static inline CURLMcode ccurl_multi_set_socket(CURLM *multi, curl_socket_callback function, void *context) {
    CURLMcode code = (curl_multi_setopt)(multi, CURLMOPT_SOCKETFUNCTION, function);
    return code ? code : (curl_multi_setopt)(multi, CURLMOPT_SOCKETDATA, context);
}

static inline CURLMcode ccurl_multi_set_timer(CURLM *multi, curl_multi_timer_callback function, void *context) {
    CURLMcode code = (curl_multi_setopt)(multi, CURLMOPT_TIMERFUNCTION, function);
    return code ? code : (curl_multi_setopt)(multi, CURLMOPT_TIMERDATA, context);
}
