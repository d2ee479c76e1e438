import Messages
import TestSupport

/// Many callers of one server who have said Hello, from many addresses of this machine, so that a
/// limit on one address is not what is measured.
struct Crowd {
    private let port: Int
    private(set) var peers: [RawPeer] = []
    private var comeCount = 0
    private var spokenCount = 0

    /// `count` callers of the server on `port`.
    init(_ count: Int, port: Int) throws {
        self.port = port
        for _ in 0..<count { peers.append(try newcomer()) }
    }

    /// So many of them, counted from the first, have said one more byte of a frame when this
    /// returns; who was sent away comes again. From 0 on it is the next byte's turn.
    mutating func sayOneByte(upTo count: Int) throws {
        if count < spokenCount { spokenCount = 0 }
        while spokenCount < min(count, peers.count) {
            if !peers[spokenCount].send(bytes: [0]) { peers[spokenCount] = try newcomer() }
            spokenCount += 1
        }
    }

    private mutating func newcomer() throws -> RawPeer {
        comeCount += 1
        let peer = try RawPeer(port: port, from: UInt32(comeCount % 200 + 2))
        try peer.greet()
        peer.send(.hello(peer.soundHello()))
        return peer
    }
}

extension RawPeer {
    /// Connects from the address 127.0.0.`host`.
    fileprivate convenience init(port: Int, from host: UInt32) throws {
        self.init(try LoopbackSocket.connected(to: port, from: host))
    }
}
