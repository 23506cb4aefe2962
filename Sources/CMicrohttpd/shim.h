#pragma once
#include <microhttpd.h>

// Variadic functions of microhttpd.h, which Swift cannot import, with the arguments that are used.

/// What the server is called for, and by which rules it runs.
struct cmicrohttpd_server {
    MHD_AccessHandlerCallback handle;
    void *(*see_target)(void *context, const char *target, struct MHD_Connection *connection);
    MHD_RequestCompletedCallback complete;
    MHD_NotifyConnectionCallback notify;
    void *context;
    int listening_socket;
    unsigned int maximum_connections;
    /// Seconds without a byte, after which a connection is closed.
    unsigned int idle_time;
};

/// Starts a thread that serves a socket that listens already, and closes it at the end. NULL on failure.
static inline struct MHD_Daemon *cmicrohttpd_start(const struct cmicrohttpd_server *server) {
    return MHD_start_daemon(
        MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, server->handle, server->context,
        MHD_OPTION_LISTEN_SOCKET, (MHD_socket)server->listening_socket,
        MHD_OPTION_CONNECTION_LIMIT, server->maximum_connections,
        MHD_OPTION_CONNECTION_TIMEOUT, server->idle_time,
        MHD_OPTION_STRICT_FOR_CLIENT, 1,
        MHD_OPTION_URI_LOG_CALLBACK, server->see_target, server->context,
        MHD_OPTION_NOTIFY_COMPLETED, server->complete, server->context,
        MHD_OPTION_NOTIFY_CONNECTION, server->notify, server->context,
        MHD_OPTION_END);
}

static inline int cmicrohttpd_descriptor(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *information =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return information ? information->connect_fd : -1;
}

/// What the callback for a new connection stored.
static inline void *cmicrohttpd_context(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *information =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return information ? information->socket_context : NULL;
}

/// Keeps a connection open however long nothing is sent.
static inline void cmicrohttpd_keep_open(struct MHD_Connection *connection) {
    MHD_set_connection_option(connection, MHD_CONNECTION_OPTION_TIMEOUT, 0u);
}
