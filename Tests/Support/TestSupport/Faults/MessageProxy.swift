import Glibc
import ServiceRuntime
import Synchronization

/// A proxy in front of a PostgreSQL server that knows where a message of its protocol ends, and
/// cuts a conversation at such a boundary: both sides lose the connection. Without TLS. Source:
/// https://www.postgresql.org/docs/15/protocol-message-formats.html
package final class MessageProxy: Sendable {
    /// Who sends a message.
    package enum Side: Sendable, CaseIterable {
        /// The program that has connected.
        case client
        /// PostgreSQL.
        case server
    }

    /// The port it listens on.
    package let port: Int
    private let server: String
    private let orders = Mutex(Orders())
    private let thread = Mutex<OSThread?>(nil)
    private let open = Atomic(0)

    private struct Orders {
        /// The side whose next message is not passed on, once so many have been.
        var cut: (side: Side, left: Int)?
        var isStopping = false
    }

    /// Listens on a port that the system picks, and connects each client to the server's socket.
    /// - Throws: if a socket or the thread cannot be created.
    package init(to server: String) throws {
        let listener = try LoopbackSocket.listening()
        port = listener.port
        self.server = server
        let thread = try OSThread { [self] in run(listener) }
        self.thread.withLock { $0 = thread }
    }

    /// Cuts the next conversation in which `side` has sent so many more messages.
    package func cut(_ side: Side, after messages: Int) {
        orders.withLock { $0.cut = (side: side, left: messages) }
    }

    /// Whether there was no such conversation yet.
    package var isWaiting: Bool { orders.withLock { $0.cut != nil } }

    /// How many conversations there are.
    package var conversations: Int { open.load(ordering: .acquiring) }

    /// Closes everything and returns when the thread has ended.
    package func stop() {
        orders.withLock { $0.isStopping = true }
        thread.withLock { $0 }?.join()
    }

    private func run(_ listener: LoopbackSocket) {
        var conversations: [Conversation] = []
        while !orders.withLock({ $0.isStopping }) {
            let sockets = [listener] + conversations.flatMap { [$0.client, $0.server] }
            var polls = sockets.map {
                pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0)
            }
            poll(&polls, nfds_t(polls.count), 20)
            // A server that is away is a client's lost connection.
            if let client = listener.accepted(),
                let server = try? LoopbackSocket.connecting(toFile: server)
            {
                conversations.append(Conversation(client, server))
            }
            conversations.removeAll { !passOn($0) }
            open.store(conversations.count, ordering: .releasing)
        }
    }

    /// Passes on what has arrived.
    /// - Returns: whether the conversation goes on.
    private func passOn(_ conversation: Conversation) -> Bool {
        for side in Side.allCases {
            guard conversation.receive(from: side) else { return false }
            while let message = conversation.next(from: side) {
                guard mayPass(side), conversation.send(message, from: side) else { return false }
            }
        }
        return true
    }

    private func mayPass(_ side: Side) -> Bool {
        orders.withLock { orders in
            guard let cut = orders.cut, cut.side == side else { return true }
            orders.cut = cut.left == 0 ? nil : (side: side, left: cut.left - 1)
            return cut.left > 0
        }
    }

    /// One client's connection, and its own to the server.
    private final class Conversation {
        /// What a client sends first to ask for TLS: its length, and a number in the place of a
        /// version.
        private static let requestOfTLS: [UInt8] = [0, 0, 0, 8, 0x04, 0xD2, 0x16, 0x2F]

        let client: LoopbackSocket
        let server: LoopbackSocket
        private var received: [Side: [UInt8]] = [:]
        /// Whether the next message is a client's first, which has no byte for its type.
        private var isFirst = true

        init(_ client: LoopbackSocket, _ server: LoopbackSocket) {
            (self.client, self.server) = (client, server)
        }

        /// - Returns: whether the side is still there.
        func receive(from side: Side) -> Bool {
            switch (side == .client ? client : server).receive() {
            case .bytes(let bytes): received[side, default: []] += bytes
            case .nothingYet: break
            case .end, .broken: return false
            }
            return true
        }

        /// The next whole message of a side.
        func next(from side: Side) -> [UInt8]? {
            let bytes = received[side] ?? []
            let type = side == .client && isFirst ? 0 : 1
            guard bytes.count >= type + 4 else { return nil }
            let length = bytes[type..<type + 4].reduce(0) { $0 << 8 | Int($1) }
            guard bytes.count >= type + length else { return nil }
            let message = Array(bytes[..<(type + length)])
            received[side] = Array(bytes[(type + length)...])
            guard side == .client, isFirst else { return message }
            if message == Self.requestOfTLS {
                // Not spoken here; the client goes on without it.
                return send([UInt8(ascii: "N")], from: .server) ? next(from: side) : nil
            }
            isFirst = false
            return message
        }

        /// - Returns: whether the other side took it.
        func send(_ message: [UInt8], from side: Side) -> Bool {
            let other = side == .client ? server : client
            var rest = message[...]
            while !rest.isEmpty {
                guard let count = other.send(rest) else { return false }
                rest = rest.dropFirst(count)
                if count == 0 { usleep(100) }
            }
            return true
        }
    }
}
