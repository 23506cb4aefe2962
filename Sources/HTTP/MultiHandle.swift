internal import CCurl

/// Owns the libcurl multi handle of one loop.
///
/// It goes after its easy handles; going, it still calls the socket callbacks, so their context must live.
struct MultiHandle: ~Copyable {
    private let raw: UnsafeMutableRawPointer

    init() throws(HTTPFailure) {
        guard prepareCurl() == CURLE_OK, let raw = curl_multi_init() else {
            throw HTTPFailure(.resource, "libcurl could not make a multi handle")
        }
        self.raw = raw
    }

    deinit { curl_multi_cleanup(raw) }

    func setCallbacks(
        socket: @escaping curl_socket_callback, timer: @escaping curl_multi_timer_callback,
        context: UnsafeMutableRawPointer
    ) throws(HTTPFailure) {
        try ccurl_multi_set_socket(raw, socket, context).check()
        try ccurl_multi_set_timer(raw, timer, context).check()
    }

    /// How many idle and busy connections are kept.
    func setConnectionCapacity(_ capacity: Int) throws(HTTPFailure) {
        try ccurl_multi_set_long(raw, CURLMOPT_MAXCONNECTS, capacity).check()
    }

    func add(_ handle: borrowing EasyHandle) throws(HTTPFailure) {
        try curl_multi_add_handle(raw, handle.raw).check()
    }

    func remove(_ handle: borrowing EasyHandle) {
        curl_multi_remove_handle(raw, handle.raw)
    }

    /// Runs the transfers of a ready socket.
    func act(on socket: Int32, _ readiness: Int32) {
        var running: Int32 = 0
        curl_multi_socket_action(raw, socket, readiness, &running)
    }

    /// Runs the transfers whose time has come.
    func actOnTimeout() {
        var running: Int32 = 0
        curl_multi_socket_action(raw, CURL_SOCKET_TIMEOUT, 0, &running)
    }

    /// The next transfer that libcurl is done with, by its easy handle, and how it went.
    func nextFinished() -> (handle: UnsafeMutableRawPointer, code: CURLcode)? {
        var left: Int32 = 0
        while let message = curl_multi_info_read(raw, &left) {
            if message.pointee.msg == CURLMSG_DONE, let handle = message.pointee.easy_handle {
                return (handle, message.pointee.data.result)
            }
        }
        return nil
    }
}
