import Glibc
import Messages
import RPC
import Synchronization

/// Many sockets to one server: idle ones that sent Hello, and slow ones that send a byte now and
/// then and reconnect when the server closes them. It keeps only descriptors, so that this
/// process's growth in memory is the server's.
final class Crowd: Sendable {
    private let port: Int
    private let idle = Mutex<[Int32]>([])
    private let slow = Mutex<[Int32]>([])
    private let isOver = Atomic<Bool>(false)
    private let returned = Atomic<Int>(0)

    init(port: Int) {
        self.port = port
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }

    deinit {
        for socket in idle.withLock({ $0 }) + slow.withLock({ $0 }) { close(socket) }
    }

    /// How often a slow connection was closed and reconnected.
    var returns: Int { returned.load(ordering: .relaxed) }

    /// Opens `count` more connections that send Hello, make `calls` calls and then stay idle.
    func gather(idle count: Int, calls: Int = 1, text: String = "hello") throws {
        for _ in 0..<count {
            let socket = try Self.connected(port: port, isGreeted: true) { peer in
                for call in 1...calls { peer.send(UInt64(call), EchoService.onLoop, text) }
                _ = try peer.response(UInt64(calls))
            }
            idle.withLock { $0.append(socket) }
        }
    }

    /// Opens `count` slow connections; half of them send Hello.
    func gather(slow count: Int) throws {
        let sockets = try (0..<count).map {
            try Self.connected(port: port, isGreeted: $0.isMultiple(of: 2))
        }
        slow.withLock { $0 = sockets }
    }

    /// Keeps the slow connections at the server until `disperse()`. Half of them spell out a Hello,
    /// half a frame, one byte every `gap` seconds. A connection that was closed reconnects when it
    /// is next due.
    func trickle(gap: Double = 10) throws {
        var slow = self.slow.withLock { $0 }
        defer { self.slow.withLock { [slow] in $0 = slow } }
        let count = slow.count
        var index = 0
        while !isOver.load(ordering: .relaxed) {
            // In each tick of 10 ms a share of them sends its byte.
            for _ in 0..<max(1, Int(Double(count) / (gap * 100))) {
                index = (index + 1) % count
                guard !Self.sendsByte(slow[index]) else { continue }
                close(slow[index])
                slow[index] = -1
                slow[index] = try Self.connected(port: port, isGreeted: index.isMultiple(of: 2))
                returned.add(1, ordering: .relaxed)
            }
            usleep(10_000)
        }
    }

    /// Makes `trickle(gap:)` return.
    func disperse() { isOver.store(true, ordering: .relaxed) }

    private static func connected(
        port: Int, isGreeted: Bool, _ speak: (RawPeer) throws -> Void = { _ in }
    ) throws -> Int32 {
        let socket = try RawPeer.tcp()
        let peer = RawPeer(socket)
        try RawPeer.connect(socket, port: port)
        if isGreeted {
            try peer.greet()
            peer.send(.hello(peer.soundHello()))
        }
        try speak(peer)
        return dup(socket)
    }

    /// Sends the next byte of a frame that never becomes complete. Returns false once the server
    /// has closed the connection.
    private static func sendsByte(_ socket: Int32) -> Bool {
        var received = [UInt8](repeating: 0, count: 256)
        var count = 0
        repeat {
            count = recv(socket, &received, received.count, Int32(MSG_DONTWAIT))
        } while count > 0
        var byte: UInt8 = 0
        return count < 0 && errno == EAGAIN
            && Glibc.send(socket, &byte, 1, Int32(MSG_NOSIGNAL)) == 1
    }

    /// Resident memory of this process, in bytes.
    static func residentBytes() -> Int {
        guard let file = fopen("/proc/self/statm", "r") else { return 0 }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 128)
        guard fgets(&line, 128, file) != nil else { return 0 }
        let text = String(decoding: line.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return (Int(text.split(separator: " ")[1]) ?? 0) * Int(getpagesize())
    }
}
