import Messages
import PublicCalls
import RPC
import Synchronization

/// A hostile account and the requests that it sends, which are prepared before it attacks.
///
/// Its requests are sent in turns, each time as another call: with a new idempotency key. Where a
/// request serves only once, its repetitions are refused for what they say. For that, an attacker by
/// a method without limits has further accounts.
final class Attacker: Sendable {
    /// Requests of an account that differ, for example in the address of a mail.
    private static let requests = 6

    /// The account.
    let caller: LiveCaller
    private let call: PublicCall
    private let prepared: [Prepared]
    private let turns = Atomic<Int>(0)

    private struct Prepared: Sendable {
        let caller: LiveCaller
        let messages: [[UInt8]]
    }

    /// Prepares the requests of an account, and of further ones.
    /// - Throws: what the preparation throws; `ClusterError` without an account.
    init(_ call: PublicCall, by callers: [LiveCaller]) async throws {
        guard let first = callers.first else { throw ClusterError(message: "no attacker") }
        caller = first
        self.call = call
        // An upload takes megabytes of memory here.
        let isOne = call.isOnce || call.method.streams.hasRequestItems
        var prepared: [Prepared] = []
        for caller in callers {
            for number in 0..<(isOne ? 1 : Self.requests) {
                let messages = try await call.messages(caller, number).map { $0.encoded() }
                prepared.append(Prepared(caller: caller, messages: messages))
            }
            _ = try await caller.token(of: call)
        }
        self.prepared = prepared
    }

    /// Makes the next call.
    /// - Parameter bytes: those of its messages are added.
    /// - Throws: `ServiceError`.
    func send(timeout: Duration, adding bytes: inout Int) async throws {
        let number = turns.add(1, ordering: .relaxed).oldValue
        let own = prepared[number % prepared.count]
        var messages = own.messages
        if call.caller == .writer {
            // A token is valid for a minute, and for one idempotency key.
            messages = try await call.messages(own.caller, number).map { $0.encoded() }
        }
        bytes += messages.reduce(0) { $0 + $1.count }
        _ = try await call.send(messages, by: own.caller, number, timeout: timeout)
    }
}
