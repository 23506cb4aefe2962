internal import CCurl

// The functions that libcurl calls, all on the loop's thread. They find the transfer or the engine by their
// context, which outlives the handle it was given to, record, and return: none blocks or calls libcurl's
// multi interface. They are top-level functions, for a closure would carry the isolation of where it is written.

func transferDidReceiveBody(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let transfer = transfer(context) else { return 0 }
    return transfer.receiveBody(UnsafeRawBufferPointer(start: bytes, count: size * count)) ? size * count : 0
}

func transferDidReceiveHeader(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let transfer = transfer(context) else { return 0 }
    return transfer.receiveHeader(UnsafeRawBufferPointer(start: bytes, count: size * count)) ? size * count : 0
}

func transferWillSend(
    _ context: UnsafeMutableRawPointer?, _ remoteAddress: UnsafeMutablePointer<CChar>?,
    _ localAddress: UnsafeMutablePointer<CChar>?, _ remotePort: Int32, _ localPort: Int32
) -> Int32 {
    transfer(context)?.willSend(to: remoteAddress) == true ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
}

func transferOpenSocket(
    _ context: UnsafeMutableRawPointer?, _ purpose: curlsocktype, _ address: UnsafeMutablePointer<curl_sockaddr>?
) -> curl_socket_t {
    guard let transfer = transfer(context), let address,
        // The address proper is as long as its family needs, longer than the field's declared type.
        let field = MemoryLayout<curl_sockaddr>.offset(of: \.addr)
    else { return -1 }
    let descriptor = transfer.openSocket(address.pointee, UnsafeRawPointer(address) + field)
    if descriptor >= 0 { transfer.engine.didOpen(descriptor) }
    return descriptor
}

func engineCloseSocket(_ context: UnsafeMutableRawPointer?, _ descriptor: curl_socket_t) -> Int32 {
    engine(context)?.close(descriptor)
    return 0
}

func engineSocketChanged(
    _ handle: UnsafeMutableRawPointer?, _ descriptor: curl_socket_t, _ interest: Int32,
    _ context: UnsafeMutableRawPointer?, _ socketContext: UnsafeMutableRawPointer?
) -> Int32 {
    let transfer = transfer(handle.flatMap { EasyHandle.context(of: $0) })
    engine(context)?.interestChanged(descriptor, interest, hold: transfer?.wasSent == true ? transfer?.hold ?? -1 : -1)
    return 0
}

func engineTimerChanged(
    _ multi: UnsafeMutableRawPointer?, _ milliseconds: Int, _ context: UnsafeMutableRawPointer?
) -> Int32 {
    engine(context)?.timerChanged(milliseconds)
    return 0
}

// Unretained: the engine keeps every transfer, and itself is kept by its loop, until the handles are gone.

private func transfer(_ context: UnsafeMutableRawPointer?) -> CurlSlot? {
    context.map { Unmanaged<CurlSlot>.fromOpaque($0).takeUnretainedValue() }
}

private func engine(_ context: UnsafeMutableRawPointer?) -> CurlLoop? {
    context.map { Unmanaged<CurlLoop>.fromOpaque($0).takeUnretainedValue() }
}
