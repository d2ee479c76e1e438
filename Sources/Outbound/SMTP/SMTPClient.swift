import Synchronization

/// Sends mails to mail servers over persistent connections, each on its own curl thread.
///
/// The reason for several threads: libcurl 7.88 blocks its thread while it waits for the reply to a
/// message's end and to QUIT. On one thread, a server that takes 50 ms to reply would limit eight
/// connections to 20 mails a second, and a server that hangs would also delay the mails to its
/// fallback.
///
/// A mail uses the first idle connection, so that under low load one connection stays open instead
/// of eight. Threads are created when they are first needed.
package final class SMTPClient: Sendable {
    /// The largest number of connections.
    package static let connectionsMax = 256
    /// The connections that one thread keeps, each to another server.
    private static let serversMax = 4
    /// The largest number of transfers that wait for one thread. None waits while there are no more
    /// mails in flight than connections.
    private static let waitingMax = 64

    /// A connection to each of a few servers, on a thread of its own.
    private struct SendingThread {
        let client: OutboundClient
        var underway = 0
    }

    private struct State {
        var threads: [SendingThread] = []
        var isClosed = false
    }

    private let threadsMax: Int
    private let state: Mutex<State>

    /// A client with its first thread and up to `connections` concurrent connections, at least 1.
    /// - Throws: `OutboundClient.Unavailable`.
    package init(connections: Int) throws(OutboundClient.Unavailable) {
        threadsMax = min(max(1, connections), Self.connectionsMax)
        state = Mutex(State(threads: [SendingThread(client: try Self.makeClient())]))
    }

    /// Sends one mail to a server, within `timeout`.
    package func send(
        _ mail: SMTPMail, to server: SMTPServer, timeout: Duration
    ) async -> SMTPOutcome {
        guard let (index, client) = take() else { return .failed(.closed) }
        let outcome = await client.send(mail, to: server, timeout: timeout)
        state.withLock { $0.threads[index].underway -= 1 }
        return outcome
    }

    /// Cancels all mails immediately. Returns when the threads have ended.
    package func close() async {
        let clients = state.withLock { state in
            state.isClosed = true
            return state.threads.map(\.client)
        }
        for client in clients { await client.close() }
    }

    private func take() -> (index: Int, client: OutboundClient)? {
        state.withLock { state in
            guard !state.isClosed else { return nil }
            let index = chosen(in: &state)
            state.threads[index].underway += 1
            return (index, state.threads[index].client)
        }
    }

    /// The first idle thread; otherwise a new one; otherwise the one with the fewest mails in
    /// flight.
    private func chosen(in state: inout State) -> Int {
        if let free = state.threads.firstIndex(where: { $0.underway == 0 }) { return free }
        // When no further thread can be created, the mail waits for an existing one.
        if state.threads.count < threadsMax, let client = try? Self.makeClient() {
            state.threads.append(SendingThread(client: client))
            return state.threads.count - 1
        }
        let least = state.threads.indices.min { left, right in
            state.threads[left].underway < state.threads[right].underway
        }
        return least ?? 0
    }

    private static func makeClient() throws(OutboundClient.Unavailable) -> OutboundClient {
        try OutboundClient(limits: .init(transfersMax: waitingMax, connectionsMax: serversMax))
    }
}
