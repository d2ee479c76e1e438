import Contracts
import Messages
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import IdentityAssembly
@testable import IdentityService

@Suite("M6: session ends do not wait behind mails", .timeLimit(.minutes(2)))
struct EndsBeforeMailsTests {
    private static let mailsWaiting = 10_000
    /// In one flow: all would be computed for seconds.
    private static let mailsAtOnce = 100
    private static let ends = 200
    /// The promise is 100 ms. The bound is wider because other tests run at the same time.
    private static let reachedWithin = Duration.seconds(1)

    @Test("M6: with 10,000 queued mails and a hanging notifier an end is delivered at once")
    func ends() async throws {
        let fixture = try IdentityFixture()
        fixture.notifications.hang(fixture.time)
        let accounts = (0..<Self.ends).map { _ in AccountID.drawn(from: fixture.randomness) }
        let outbox = fixture.outbox
        try await fill(fixture, of: try await registered(fixture))
        var taken: [Duration] = []
        try await withThrowingTaskGroup { group in
            group.addTask { try await fixture.tasks.run() }
            // Every delivery slot for mails is taken.
            while fixture.notifications.calls < OutboxQueue.standard.deliveriesMax {
                await Task.yield()
            }
            for account in accounts {
                let begin = ContinuousClock.now
                try await fixture.store.writeUnchecked { transaction in
                    try transaction.endSessions(
                        of: account, provedUntil: transaction.at, outbox)
                }
                while fixture.sessions.ended.last?.accountId != account.text { await Task.yield() }
                taken.append(ContinuousClock.now - begin)
            }
            group.cancelAll()
        }
        #expect(fixture.notifications.mails.isEmpty)
        let sorted = taken.sorted()
        let p99 = sorted[(sorted.count * 99 - 1) / 100]
        print("figure end-before-mails-p99 \(p99 / .microseconds(1)) µs")
        #expect(p99 < Self.reachedWithin)
    }

    @Test("M6: push devices that cannot be revoked do not delay session ends")
    func devices() async throws {
        let fixture = try IdentityFixture()
        fixture.pushDevices.hang(fixture.time)
        let accounts = (0..<50).map { _ in AccountID.drawn(from: fixture.randomness) }
        let outbox = fixture.outbox
        try await withThrowingTaskGroup { group in
            group.addTask { try await fixture.tasks.run() }
            try await fixture.store.writeUnchecked { transaction in
                for account in accounts { try transaction.enqueue(outbox.revokeDevices(account)) }
                for account in accounts {
                    try transaction.enqueue(
                        outbox.endAccount(
                            account, provedUntil: transaction.at, generation: 1))
                }
            }
            while fixture.sessions.ended.count < accounts.count { await Task.yield() }
            group.cancelAll()
        }
        #expect(fixture.pushDevices.revoked.isEmpty)
    }

    @Test("M7: queued warning mails do not delay a link that its reader requested")
    func requested() async throws {
        let fixture = try IdentityFixture()
        let account = try await registered(fixture)
        let outbox = fixture.outbox
        try await fixture.store.writeUnchecked { transaction in
            for number in 0..<500 {
                try transaction.enqueue(
                    try outbox.email(
                        Mail(
                            .emailAlreadyRegistered,
                            [.methods([]), .link("https://app.example/\(number)")]),
                        of: account, to: "ada@example.org", language: "en", expiresAt: nil,
                        key: outbox.newKey()))
            }
            try transaction.enqueue(
                try outbox.email(
                    Mail(
                        .resetPassword,
                        [
                            .link("https://app.example/reset-password?token=t"),
                            .validity(.seconds(3_600)),
                        ]),
                    of: account, to: "ada@example.org", language: "en", expiresAt: nil,
                    key: outbox.newKey()))
        }
        try await fixture.relay()
        let place = try #require(fixture.templates.firstIndex(of: "reset-password"))
        #expect(place <= 2 * OutboxQueue.standard.deliveriesMax)
    }

    /// An account: mails to one that does not exist are dropped.
    private func registered(_ fixture: IdentityFixture) async throws -> AccountID {
        let account = try #require(try await fixture.register().account)
        return try #require(AccountID(text: account.accountId))
    }

    /// Mails that are due, as a stranger's sign-ups with many addresses would queue them.
    private func fill(_ fixture: IdentityFixture, of account: AccountID) async throws {
        let outbox = fixture.outbox
        for first in stride(from: 0, to: Self.mailsWaiting, by: Self.mailsAtOnce) {
            try await fixture.store.writeUnchecked { transaction in
                for number in first..<first + Self.mailsAtOnce {
                    try transaction.enqueue(
                        try outbox.email(
                            Mail(
                                .verifyEmail,
                                [
                                    .link("https://app.example/verify-email?token=\(number)"),
                                    .validity(.seconds(3_600)),
                                ]),
                            of: account, to: "n\(number)@example.org", language: "en",
                            expiresAt: nil, key: outbox.newKey()))
                }
            }
        }
    }
}
