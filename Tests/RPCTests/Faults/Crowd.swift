import Messages
import TestSupport

/// Many callers of one server who have said Hello, from many addresses of this machine, so that a
/// limit on one address is not what is measured.
struct Crowd {
    private let port: Int
    private(set) var peers: [RawPeer] = []
    private var comeCount = 0

    /// `count` callers of the server on `port`.
    init(_ count: Int, port: Int) throws {
        self.port = port
        for _ in 0..<count { peers.append(try newcomer()) }
    }

    /// Each says the first byte of a frame, or one more; who was sent away comes again.
    mutating func sayOneByte() throws {
        for index in peers.indices where !peers[index].send(bytes: [0]) {
            peers[index] = try newcomer()
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
