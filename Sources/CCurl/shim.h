// libcurl as Swift can see it: its variadic functions, one typed wrapper for each kind of argument.
// Source: https://curl.se/libcurl/c/ ; imported by the module Outbound alone.
#ifndef POSTERN_CCURL_SHIM_H
#define POSTERN_CCURL_SHIM_H

#include <curl/curl.h>

// curl_easy_setopt with a number.
static inline CURLcode ccurl_set_long(CURL *handle, CURLoption option, long value) {
    return curl_easy_setopt(handle, option, value);
}

// curl_easy_setopt with a 64-bit size.
static inline CURLcode ccurl_set_size(CURL *handle, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(handle, option, value);
}

// curl_easy_setopt with text, which libcurl copies.
static inline CURLcode ccurl_set_text(CURL *handle, CURLoption option, const char *value) {
    return curl_easy_setopt(handle, option, value);
}

// curl_easy_setopt with a list, which must outlive the transfer.
static inline CURLcode ccurl_set_list(CURL *handle, CURLoption option, struct curl_slist *list) {
    return curl_easy_setopt(handle, option, list);
}

// Where an upload's bytes come from.
static inline CURLcode ccurl_set_read(CURL *handle, curl_read_callback read, void *owner) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_READFUNCTION, read);
    return code != CURLE_OK ? code : curl_easy_setopt(handle, CURLOPT_READDATA, owner);
}

// Where a download's bytes go.
static inline CURLcode ccurl_set_write(CURL *handle, curl_write_callback write, void *owner) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, write);
    return code != CURLE_OK ? code : curl_easy_setopt(handle, CURLOPT_WRITEDATA, owner);
}

// Where the lines of an answer's head go.
static inline CURLcode ccurl_set_header(CURL *handle, curl_write_callback take, void *owner) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, take);
    return code != CURLE_OK ? code : curl_easy_setopt(handle, CURLOPT_HEADERDATA, owner);
}

// Who opens a socket: called after resolution, with the address that would be dialled.
static inline CURLcode ccurl_set_open_socket(
    CURL *handle, curl_opensocket_callback open, void *owner
) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, open);
    return code != CURLE_OK ? code : curl_easy_setopt(handle, CURLOPT_OPENSOCKETDATA, owner);
}

// Who closes a socket; `owner` must outlive every connection, not only this handle.
static inline CURLcode ccurl_set_close_socket(
    CURL *handle, curl_closesocket_callback close, void *owner
) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_CLOSESOCKETFUNCTION, close);
    return code != CURLE_OK ? code : curl_easy_setopt(handle, CURLOPT_CLOSESOCKETDATA, owner);
}

// Who is asked before the request goes out, also on a connection that is used again.
static inline CURLcode ccurl_set_before_request(
    CURL *handle, curl_prereq_callback ask, void *owner
) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_PREREQFUNCTION, ask);
    return code != CURLE_OK ? code : curl_easy_setopt(handle, CURLOPT_PREREQDATA, owner);
}

// curl_easy_getinfo for a number.
static inline CURLcode ccurl_get_long(CURL *handle, CURLINFO info, long *value) {
    return curl_easy_getinfo(handle, info, value);
}

// curl_easy_getinfo for a socket; -1 where there is none any more.
static inline CURLcode ccurl_get_socket(CURL *handle, CURLINFO info, curl_socket_t *value) {
    return curl_easy_getinfo(handle, info, value);
}

// curl_multi_setopt with a number.
static inline CURLMcode ccurl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}

// What a finished transfer's message says: its result is in a union, which reads poorly in Swift.
static inline CURLcode ccurl_message_result(const CURLMsg *message) {
    return message->data.result;
}

// curl_global_init with everything, a macro.
static inline CURLcode ccurl_global_init(void) {
    return curl_global_init(CURL_GLOBAL_ALL);
}

#endif
