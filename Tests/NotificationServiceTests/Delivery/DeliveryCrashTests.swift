import Outbound
import SMTPSink
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import NotificationService

@Suite("A crash after every step of a delivery")
struct DeliveryCrashTests {
    @Test("SECURITY.md, Crash: a mail accepted before a crash is delivered once after the restart")
    func afterAcceptance() async throws {
        let folder = try TemporaryFolder()
        let first = try NotificationFixture(in: folder)
        let id = try await first.send()
        first.store.close()
        let second = try NotificationFixture(in: folder, seed: 2)
        try await second.delivering { try await second.until(sent: 1) }
        #expect(try await second.send() == id)
        second.store.close()
        let third = try NotificationFixture(in: folder, seed: 3)
        await third.delivering { await third.time.sleepers() }
        #expect(third.inbox.count == 1)
    }

    @Test("after a crash with a claimed message, the next start releases the lease at once")
    func afterClaim() async throws {
        let folder = try TemporaryFolder()
        let first = try NotificationFixture(in: folder)
        try await first.send()
        let claimed = try await first.store.writeUnchecked { try $0.claimMails(8) }
        #expect(claimed.map(\.delivery.attempts) == [1])
        first.store.close()
        let second = try NotificationFixture(in: folder, seed: 2)
        try await second.delivering { try await second.until(sent: 1) }
        #expect(second.inbox.count == 1)
        #expect(try await second.ask("SELECT attempts FROM message") == [.integer(2)])
    }

    @Test(
        "a crash between delivery and its record sends the same mail again; the inbox has one")
    func afterDelivery() async throws {
        let folder = try TemporaryFolder()
        let first = try NotificationFixture(in: folder)
        try await first.send()
        let claimed = try await first.store.writeUnchecked { try $0.claimMails(8) }
        let routes = try NotificationFixture.settings([:]).makeRoutes(
            first.store, first.keys, first.time, first.log.logger(time: first.time))
        let attempts = DeliveryAttempts(
            routes: routes, keys: first.keys, time: first.time, randomness: SeededRandomness(),
            logger: first.log.logger(time: first.time))
        #expect(await attempts.outcome(try #require(claimed.first)) == .taken)
        first.store.close()
        let second = try NotificationFixture(in: folder, seed: 2)
        #expect(second.inbox.count == 1)
        try await second.delivering { try await second.until(sent: 1) }
        #expect(second.inbox.count == 1)
    }

    @Test("a message interrupted while it was being sent stays `sending`; the next start sends it")
    func whileSending() async throws {
        var script = SMTPSink.Script()
        script.ending = .stall
        let sink = try SMTPSink(script)
        let folder = try TemporaryFolder()
        let first = try NotificationFixture(
            in: folder, route: NotificationFixture.route(to: sink).route)
        try await first.send()
        try await first.delivering {
            try await first.until("SELECT state FROM message", gives: .integer(1))
            await sink.reached(mails: 1)
        }
        #expect(try await first.ask("SELECT state FROM message") == [.integer(1)])
        first.store.close()
        sink.script.ending = .answer("250 taken")
        let (route, client) = try NotificationFixture.route(to: sink)
        let second = try NotificationFixture(in: folder, seed: 2, route: route)
        try await second.delivering { try await second.until(sent: 1) }
        #expect(sink.mails.count == 2)
        #expect(Set(sink.mails.map(\.bytes)).count == 1)
        await client.close()
        sink.close()
    }

    @Test("concurrent claims never return the same message")
    func claims() async throws {
        let fixture = try NotificationFixture(in: TemporaryFolder())
        for number in 0..<20 { try await fixture.send(key: "\(number)") }
        let claimed = try await withThrowingTaskGroup(of: [StoredMessage].self) { group in
            for _ in 0..<8 {
                group.addTask { try await fixture.store.writeUnchecked { try $0.claimMails(5) } }
            }
            return try await group.reduce(into: []) { $0 += $1.map(\.id) }
        }
        #expect(claimed.count == 20)
        #expect(Set(claimed).count == 20)
    }

    @Test("an outcome recorded after the lease was released changes nothing")
    func lateOutcome() async throws {
        let fixture = try NotificationFixture(in: TemporaryFolder())
        try await fixture.send()
        let claimed = try await fixture.store.writeUnchecked { try $0.claimMails(1) }
        let message = try #require(claimed.first)
        _ = try await fixture.store.writeUnchecked {
            try $0.releaseLeases(of: .onlyProcess, limit: 10)
        }
        let after = try await fixture.store.writeUnchecked {
            let end = FinishedAttempt(
                message: message, outcome: .refused("smtp-550", addressIsDead: true), jitter: 0)
            return try $0.conclude(end, routes: [:])?.delivery
        }
        #expect(after == nil)
        #expect(try await fixture.ask("SELECT state FROM message") == [.integer(2)])
    }
}

extension Transaction {
    /// Claims mails that are due.
    func claimMails(
        _ limit: Int, by holder: LeaseHolder = .onlyProcess
    ) throws -> [StoredMessage] {
        try claim(
            .email,
            ClaimBudget(
                total: limit, unrequested: limit, lowPriority: limit, warnings: 0, notices: 0,
                bulk: 0), by: holder
        ).leased
    }
}
