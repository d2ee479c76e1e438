import Synchronization

/// Hands mails to mail servers over connections that are kept, each on a curl thread of its own.
///
/// Why threads: libcurl 7.88 waits for the answer to a message's end, and to QUIT, without giving
/// its thread back. On one thread a server that thinks for 50 ms would hold eight connections to 20
/// mails a second, and one that hangs would hold up the server that is to stand in for it.
///
/// A mail goes over the first connection that is free, so that a quiet service keeps one open and
/// not eight; threads are made when they are first needed.
package final class SMTPClient: Sendable {
    /// The most connections.
    package static let connectionsMax = 256
    /// Connections that one thread keeps, one to each of so many servers.
    private static let serversMax = 4
    /// Transfers that may wait for one thread. None does while there are no more mails under way
    /// than connections.
    private static let waitingMax = 64

    private struct Lane {
        let client: OutboundClient
        var underway = 0
    }

    private struct State {
        var lanes: [Lane] = []
        var isClosed = false
    }

    private let lanesMax: Int
    private let state: Mutex<State>

    /// A client with its first thread; `connections` at the same time, at least 1.
    /// - Throws: `OutboundClient.Unavailable`.
    package init(connections: Int) throws(OutboundClient.Unavailable) {
        lanesMax = min(max(1, connections), Self.connectionsMax)
        state = Mutex(State(lanes: [Lane(client: try Self.makeClient())]))
    }

    /// Hands one mail to a server, within `timeout`.
    package func send(
        _ mail: SMTPMail, to server: SMTPServer, timeout: Duration
    ) async -> SMTPOutcome {
        guard let (index, client) = take() else { return .failed(.closed) }
        let outcome = await client.send(mail, to: server, timeout: timeout)
        state.withLock { $0.lanes[index].underway -= 1 }
        return outcome
    }

    /// Gives up what runs, at once; returns when the threads have ended.
    package func close() async {
        let clients = state.withLock { state in
            state.isClosed = true
            return state.lanes.map(\.client)
        }
        for client in clients { await client.close() }
    }

    private func take() -> (index: Int, client: OutboundClient)? {
        state.withLock { state in
            guard !state.isClosed else { return nil }
            let index = chosen(in: &state)
            state.lanes[index].underway += 1
            return (index, state.lanes[index].client)
        }
    }

    /// The first that is free; else a new one; else the one with the least to do.
    private func chosen(in state: inout State) -> Int {
        if let free = state.lanes.firstIndex(where: { $0.underway == 0 }) { return free }
        // Without another thread the mail waits for one that there is.
        if state.lanes.count < lanesMax, let client = try? Self.makeClient() {
            state.lanes.append(Lane(client: client))
            return state.lanes.count - 1
        }
        let least = state.lanes.indices.min { left, right in
            state.lanes[left].underway < state.lanes[right].underway
        }
        return least ?? 0
    }

    private static func makeClient() throws(OutboundClient.Unavailable) -> OutboundClient {
        try OutboundClient(limits: .init(transfersMax: waitingMax, connectionsMax: serversMax))
    }
}
