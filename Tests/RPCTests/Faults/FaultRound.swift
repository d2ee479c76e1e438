import RPC
import ServiceRuntime
import TestSupport
import Testing

/// One round: a client behind a bad network makes calls of every kind, and all must end in time.
/// Then the network heals, every kind must work again, and nothing of the round may be left.
struct FaultRound {
    /// Deadline of each call: long enough for a good network, short enough for many rounds.
    static let timeout = Duration.milliseconds(300)
    /// Concurrent calls of each kind.
    static let width = 4
    /// How long it may take until everything is released or works again: the 10 s that a partial
    /// frame may take, and a reconnect's backoff.
    static let recoveryTimeout = Duration.seconds(15)

    let fault: FaultCase
    let seed: UInt64
    let server: RPCServer
    /// Whether changed bytes are detected, as by TLS, so that no answer may be wrong.
    var isGuarded = false
    /// Makes a client that calls this port.
    let client: @Sendable (Int) throws -> RPCClient

    /// The outcome of one call.
    struct Ended: Sendable {
        let kind: String
        let elapsed: Duration
        let code: ErrorCode?
        let isRight: Bool
    }

    /// - Returns: the longest time by which a call outlived its deadline.
    func run() async throws -> Duration {
        let faults = fault.faults(SeededRandomness(seed: seed))
        let proxy = try FaultProxy(to: server.port, seed: seed) { _ in faults }
        let client = try client(proxy.port)
        let ended = await calls(client)
        for call in ended { check(call) }
        proxy.clearFaults()
        try await expectRecovery(client)
        try await expectHandlersEnded()
        client.close()
        try await expectNothingLeft(proxy)
        proxy.stop()
        return (ended.map(\.elapsed).max() ?? .zero) - Self.timeout
    }

    private func calls(_ client: RPCClient) async -> [Ended] {
        await withTaskGroup(of: Ended.self) { tasks in
            for kind in CallKind.all {
                for number in 0..<Self.width {
                    tasks.addTask { await call(kind, "\(kind.name) \(number)", client) }
                }
            }
            return await tasks.reduce(into: []) { $0.append($1) }
        }
    }

    private func call(_ kind: CallKind, _ text: String, _ client: RPCClient) async -> Ended {
        let clock = ContinuousClock()
        let started = clock.now
        var (code, isRight): (ErrorCode?, Bool) = (nil, true)
        do {
            isRight = try await kind.call(client, client.context(timeout: Self.timeout), text)
        } catch {
            code = (error as? ServiceError)?.code ?? .internalError
        }
        return Ended(
            kind: kind.name, elapsed: started.duration(to: clock.now), code: code,
            isRight: isRight)
    }

    /// Whether a side may have received other bytes than its peer sent.
    private var mayMishear: Bool { fault.changesBytes && !isGuarded }

    /// The outcomes that a network fault may cause: success, or one of these errors.
    private func check(_ call: Ended) {
        let allowed: Set<ErrorCode?> =
            mayMishear
            ? [
                nil, .unavailable, .deadlineExceeded, .unauthenticated, .invalidArgument,
                .unknownMethod, .cancelled, .internalError, .resourceExhausted,
            ] : [nil, .unavailable, .deadlineExceeded]
        #expect(allowed.contains(call.code), "\(call), \(fault.name), seed \(seed)")
        #expect(!fault.isTotal || call.code != nil, "\(call), \(fault.name)")
        #expect(call.isRight || mayMishear, "\(call), \(fault.name), seed \(seed)")
    }

    private func expectRecovery(_ client: RPCClient) async throws {
        for kind in CallKind.all where !kind.waits {
            let isWell = try await eventually(within: Self.recoveryTimeout) {
                let again = await call(kind, "again", client)
                return again.code == nil && again.isRight
            }
            #expect(isWell, "\(kind.name) fails after \(fault.name), seed \(seed)")
        }
    }

    /// Checks while the connection is still open, since closing it would end all handlers. A
    /// request whose bytes were changed may have got a longer timeout.
    private func expectHandlersEnded() async throws {
        guard !mayMishear else { return }
        let isIdle = try await eventually(within: Self.recoveryTimeout) {
            server.runningCount + server.waitingCount == 0
        }
        #expect(
            isIdle,
            """
            \(fault.name), seed \(seed): \(server.runningCount) handlers run, \
            \(server.waitingCount) calls wait
            """)
    }

    private func expectNothingLeft(_ proxy: FaultProxy) async throws {
        let isGone = try await eventually(within: Self.recoveryTimeout) {
            proxy.openConnections == 0 && server.runningCount == 0
                && OpenDescriptors.count(ofPorts: [proxy.port]) == 1
                && OpenDescriptors.count(ofPorts: [server.port]) == 1
        }
        #expect(
            isGone,
            """
            \(fault.name), seed \(seed): \(proxy.openConnections) connections, \
            \(server.runningCount) handlers, sockets of the proxy \
            \(OpenDescriptors.count(ofPorts: [proxy.port])) and of the server \
            \(OpenDescriptors.count(ofPorts: [server.port])) are left
            """)
    }
}
