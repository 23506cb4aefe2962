/// What libcurl wants to know of each socket, and what epoll has registered.
///
/// libcurl changes its mind several times a transfer, usually back to where it was. So a change is only
/// noted, and passed to epoll just before waiting, if it is still one: some 50 system calls instead of 20,000
/// for 10,000 transfers.
struct SocketTable: ~Copyable {
    /// Interest in one socket, in epoll's bits.
    private struct Entry {
        var wanted: UInt32 = 0
        var told: UInt32 = 0
        var isChanged = false
        var isOwn = false
        var hold: Int32 = -1
    }

    private var entries: [Entry] = []
    private var changed: [Int32] = []

    /// A socket was opened for a connection; `didClose` will tell when it goes.
    mutating func didOpen(_ socket: Int32) {
        reserve(socket)
        entries[Int(socket)] = Entry(isChanged: entries[Int(socket)].isChanged, isOwn: true)
    }

    /// Closing a descriptor takes it out of epoll, so nothing is left to do.
    mutating func didClose(_ socket: Int32) {
        reserve(socket)
        entries[Int(socket)] = Entry(isChanged: entries[Int(socket)].isChanged)
    }

    /// Notes what libcurl wants; `hold` names the bandwidth that may withhold reading, -1 none.
    mutating func want(_ socket: Int32, _ events: UInt32, hold: Int32, poller: borrowing Poller) {
        reserve(socket)
        let index = Int(socket)
        entries[index].wanted = events
        entries[index].hold = hold
        if events == 0, !entries[index].isOwn {
            // libcurl closes the descriptors that it opened itself (the resolver's) without a word.
            if entries[index].told != 0 { poller.change(socket, from: entries[index].told, to: 0) }
            entries[index].told = 0
        }
        note(index)
    }

    /// The bandwidth that may withhold reading from a socket, -1 for none.
    func hold(of socket: Int32) -> Int32 {
        entries[Int(socket)].hold
    }

    /// Names the bandwidth that may withhold reading from a socket.
    mutating func setHold(_ socket: Int32, _ hold: Int32) {
        reserve(socket)
        entries[Int(socket)].hold = hold
        note(Int(socket))
    }

    /// Begins or ends to withhold reading from the sockets of a bandwidth.
    mutating func holdChanged(_ hold: Int32) {
        for index in entries.indices where entries[index].hold == hold { note(index) }
    }

    /// Tells epoll what has changed since the last time.
    mutating func tell(_ poller: borrowing Poller, isHeld: (Int32) -> Bool) {
        for socket in changed {
            let entry = entries[Int(socket)]
            entries[Int(socket)].isChanged = false
            var events = entry.wanted
            if entry.hold >= 0, isHeld(entry.hold) { events &= ~Poller.readable }
            guard events != entry.told else { continue }
            poller.change(socket, from: entry.told, to: events)
            entries[Int(socket)].told = events
        }
        changed.removeAll(keepingCapacity: true)
    }

    private mutating func note(_ index: Int) {
        if entries[index].isChanged { return }
        entries[index].isChanged = true
        changed.append(Int32(index))
    }

    private mutating func reserve(_ socket: Int32) {
        while entries.count <= Int(socket) { entries.append(Entry()) }
    }
}
