#pragma once
#include <curl/curl.h>
#include <openssl/ssl.h>

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

// Two bytes are level and description; description 0 is close_notify (RFC 8446, 6.1).
static inline void ccurl_alert_came(
    int is_sent, int version, int type, const void *bytes, size_t length, SSL *ssl, void *noted) {
    (void)version, (void)ssl;
    if (!is_sent && type == SSL3_RT_ALERT && length == 2 && ((const unsigned char *)bytes)[1] == SSL3_AD_CLOSE_NOTIFY)
        *(int *)noted = 1;
}

// Has *noted become 1 when the server's close_notify comes on the connection that the handle uses now. With another TLS
// library than OpenSSL nothing is done and 0 returned: GnuTLS fails by itself when it does not come.
static inline int ccurl_note_close(CURL *handle, int *noted) {
    struct curl_tlssessioninfo *session = NULL;
    if ((curl_easy_getinfo)(handle, CURLINFO_TLS_SSL_PTR, &session) != CURLE_OK || !session) return 0;
    if (session->backend != CURLSSLBACKEND_OPENSSL || !session->internals) return 0;
    *noted = 0;
    SSL_set_msg_callback((SSL *)session->internals, ccurl_alert_came);
    SSL_set_msg_callback_arg((SSL *)session->internals, noted);
    return 1;
}
