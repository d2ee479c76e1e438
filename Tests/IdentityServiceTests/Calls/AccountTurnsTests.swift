import ServiceRuntime
import Synchronization
import TestSupport
import Testing

@testable import IdentityService

@Suite("I-07: one call at a time changes an account's documents", .timeLimit(.minutes(1)))
struct AccountTurnsTests {
    private let turns = AccountTurns()
    private let account: AccountID

    init() throws { account = try #require(AccountID(key: 7)) }

    @Test("calls have their turns in the order of arrival, those of other accounts at once")
    func order() async throws {
        let gate = Gate()
        let seen = Seen()
        let first = Task { [turns, account] in
            try await turns.inTurn(of: account) { await gate.wait() }
        }
        await gate.untilWaiting()
        var others: [Task<Void, any Error>] = []
        for number in 1...3 {
            others.append(
                Task { [turns, account] in
                    try await turns.inTurn(of: account) { seen.add(number) }
                })
            while turns.waiting(for: account) < number { await Task.yield() }
        }
        let other = try #require(AccountID(key: 8))
        try await turns.inTurn(of: other) { seen.add(0) }
        gate.open()
        for task in [first] + others { try await task.value }
        #expect(seen.all == [0, 1, 2, 3])
        #expect(try await turns.inTurn(of: account) { 1 } == 1)
    }

    @Test("a call that fails ends its turn; one that is cancelled leaves the line")
    func ends() async throws {
        let gate = Gate()
        let first = Task { [turns, account] in
            try await turns.inTurn(of: account) {
                await gate.wait()
                throw ServiceError(.internalError)
            }
        }
        await gate.untilWaiting()
        let second = Task { [turns, account] in try await turns.inTurn(of: account) {} }
        while turns.waiting(for: account) < 1 { await Task.yield() }
        second.cancel()
        let cancelled = try await refusal { try await second.value }
        #expect(cancelled.code == .cancelled && cancelled.notProcessed)
        #expect(turns.waiting(for: account) == 0)
        gate.open()
        #expect(try await refusal { try await first.value }.code == .internalError)
        try await turns.inTurn(of: account) {}
    }

    @Test("a cancelled call does not wait, and has its turn if the account is free")
    func cancelledBefore() async throws {
        let gate = Gate()
        let first = Task { [turns, account] in
            try await turns.inTurn(of: account) { await gate.wait() }
        }
        await gate.untilWaiting()
        let second = Task { [turns, account] in
            while !Task.isCancelled { await Task.yield() }
            try await turns.inTurn(of: account) {}
        }
        second.cancel()
        #expect(try await refusal { try await second.value }.code == .cancelled)
        gate.open()
        try await first.value
    }

    @Test("the line of an account is bounded")
    func bound() async throws {
        let gate = Gate()
        let first = Task { [turns, account] in
            try await turns.inTurn(of: account) { await gate.wait() }
        }
        await gate.untilWaiting()
        let others = (0..<AccountTurns.waitingMax).map { _ in
            Task { [turns, account] in try await turns.inTurn(of: account) {} }
        }
        while turns.waiting(for: account) < AccountTurns.waitingMax { await Task.yield() }
        let refused = try await refusal { try await turns.inTurn(of: account) {} }
        #expect(refused.code == .resourceExhausted && refused.retryAfter == .milliseconds(250))
        gate.open()
        for task in [first] + others { try await task.value }
    }
}

/// Holds a task until it is opened.
private final class Gate: Sendable {
    private let state = Mutex((isOpen: false, isWaiting: false))

    func wait() async {
        state.withLock { $0.isWaiting = true }
        while !state.withLock(\.isOpen) { await Task.yield() }
    }

    func untilWaiting() async { while !state.withLock(\.isWaiting) { await Task.yield() } }

    func open() { state.withLock { $0.isOpen = true } }
}

private final class Seen: Sendable {
    private let numbers = Mutex<[Int]>([])

    var all: [Int] { numbers.withLock { $0 } }

    func add(_ number: Int) { numbers.withLock { $0.append(number) } }
}
