import Contracts
import Messages
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import NotificationService

@Suite("Rate limits for each recipient")
struct RecipientRateLimiterTests {
    private static let now = Timestamp(milliseconds: 1_000_000)
    private let ada: [UInt8] = [1]
    private let bob: [UInt8] = [2]

    /// The wait that the limiter gives a message. If the message is not dropped, it is recorded as
    /// committed.
    private func wait(
        _ limiter: RecipientRateLimiter, _ recipient: [UInt8], _ lane: Lane,
        _ template: String = "", isBounded: Bool = false,
        at now: Timestamp = RecipientRateLimiterTests.now
    ) -> Duration? {
        let key = RecipientRateLimiter.Key(recipient, lane, template)
        let due = limiter.dueTime(of: key, isBounded: isBounded, at: now)
        if due != nil { limiter.record(.init(key: key, at: now)) }
        return due.map { $0 - now }
    }

    @Test("a burst leaves at once, then one message each interval, to the millisecond")
    func rate() {
        let limiter = RecipientRateLimiter(burst: 3, interval: .seconds(10))
        let given = (0..<5).map { _ in wait(limiter, ada, .security) }
        #expect(given == [.zero, .zero, .zero, .seconds(10), .seconds(20)])
        let later = Self.now + .seconds(30)
        #expect(wait(limiter, ada, .security, at: later) == .zero)
        #expect(wait(limiter, ada, .security, at: later) == .seconds(10))
    }

    @Test("M7: after 20 waiting messages or an hour, warnings are dropped; requested ones never")
    func end() {
        let limiter = RecipientRateLimiter(burst: 3, interval: .seconds(10))
        func given(_ count: Int, isBounded: Bool, at now: Timestamp) -> [Duration?] {
            (0..<count).map { _ in wait(limiter, ada, .security, isBounded: isBounded, at: now) }
        }
        let first = given(60, isBounded: true, at: Self.now)
        #expect(first.prefix(3).allSatisfy { $0 == .zero })
        #expect(first.dropFirst(3).prefix(20).last == .seconds(200))
        #expect(first.dropFirst(23).allSatisfy { $0 == nil })
        // Dropped messages use no capacity: one interval later there is capacity for one.
        #expect(
            given(2, isBounded: true, at: Self.now + .seconds(10)) == [.seconds(200), nil])
        #expect(given(1, isBounded: false, at: Self.now + .seconds(10)) == [.seconds(210)])
        let slow = RecipientRateLimiter(burst: 1, interval: .seconds(1_800))
        let waits = (0..<4).map { _ in wait(slow, bob, .notice, isBounded: true) }
        #expect(waits == [.zero, .seconds(1_800), .seconds(3_600), nil])
    }

    @Test("computing a due time reserves nothing; all that are committed count")
    func dueTimes() {
        let limiter = RecipientRateLimiter(burst: 1, interval: .seconds(10))
        let key = RecipientRateLimiter.Key(ada, .security, "")
        for _ in 0..<3 {
            #expect(limiter.dueTime(of: key, isBounded: true, at: Self.now) == Self.now)
        }
        for _ in 0..<3 { limiter.record(.init(key: key, at: Self.now)) }
        #expect(wait(limiter, ada, .security) == .seconds(30))
    }

    @Test("D14: messages whose transaction rolled back do not count against the rate")
    func undone() async throws {
        let fixture = try NotificationFixture(in: TemporaryFolder())
        try await fixture.store.refuse(
            "BEFORE INSERT ON audit", when: "NEW.kind = 'message.accepted'")
        for number in 0..<40 {
            await #expect(throws: (any Error).self) {
                try await fixture.send(key: "undone \(number)")
            }
        }
        try await fixture.store.unplant()
        let late = "SELECT count(*) FROM message WHERE due_at_ms > accepted_at_ms"
        for number in 0..<20 { try await fixture.send(key: "at once \(number)") }
        #expect(try await fixture.ask(late) == [.integer(0)])
        try await fixture.send(key: "after the burst")
        #expect(try await fixture.ask(late) == [.integer(1)])
    }

    @Test("another recipient, or another lane of the same recipient, has its own rate")
    func others() {
        let limiter = RecipientRateLimiter(burst: 1, interval: .seconds(10))
        for _ in 0..<1_000 { _ = wait(limiter, ada, .bulk) }
        #expect(wait(limiter, ada, .security) == .zero)
        #expect(wait(limiter, bob, .bulk) == .zero)
        #expect(wait(limiter, ada, .bulk) == .seconds(10_000))
    }

    @Test("N-06: links to verify an address do not delay the link to reset the password")
    func templates() {
        let limiter = RecipientRateLimiter(burst: 1, interval: .seconds(10))
        for _ in 0..<100 { _ = wait(limiter, ada, .requested, "verify-email") }
        #expect(wait(limiter, ada, .requested, "reset-password") == .zero)
        #expect(wait(limiter, ada, .requested, "verify-email") == .seconds(1_000))
        for _ in 0..<100 { _ = wait(limiter, ada, .security, "new-device") }
        #expect(wait(limiter, ada, .security, "password-changed") == .seconds(1_000))
    }

    @Test("later messages do not wait for one that is given back")
    func refunded() {
        let limiter = RecipientRateLimiter(burst: 1, interval: .seconds(10))
        let given = (0..<3).map { _ in wait(limiter, ada, .security) }
        #expect(given == [.zero, .seconds(10), .seconds(20)])
        let key = RecipientRateLimiter.Key(ada, .security, "")
        for _ in 0..<2 { limiter.giveBack(key) }
        #expect(wait(limiter, ada, .security) == .seconds(10))
        limiter.giveBack(RecipientRateLimiter.Key(bob, .security, ""))
        #expect(wait(limiter, bob, .security) == .zero, "one that was not recorded")
    }

    @Test("memory is bounded: recipients within their rate are evicted first")
    func bounded() {
        let limiter = RecipientRateLimiter(burst: 1, interval: .seconds(10))
        for number in 0..<RecipientRateLimiter.recipientsMax {
            let bytes = (0..<4).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
            _ = wait(limiter, bytes, .notice)
        }
        // The table is full of recipients who wait: a new recipient is not limited.
        #expect(wait(limiter, ada, .notice) == .zero)
        #expect(wait(limiter, ada, .notice) == .zero)
        let later = Self.now + .seconds(10)
        #expect(wait(limiter, ada, .notice, at: later) == .zero)
        #expect(wait(limiter, ada, .notice, at: later) == .seconds(10))
    }

    @Test("N-03: a thousand messages to one recipient delay no other mail and are not lost")
    func flood() async throws {
        let route = RecordingRoute()
        let fixture = try NotificationFixture(in: TemporaryFolder(), routes: [.email: route])
        for number in 0..<100 { try await fixture.send(key: "flood \(number)") }
        for number in 0..<10 {
            let request = NotificationFixture.request(to: "other\(number)@example.org")
            try await fixture.send(request, key: "other \(number)")
        }
        try await fixture.delivering {
            // The burst, and all others.
            try await fixture.until(sent: 30)
            #expect(route.recipients.count { $0.hasPrefix("other") } == 10)
            await fixture.time.sleepers()
            fixture.time.advance(by: .seconds(10))
            try await fixture.until(sent: 31)
        }
        #expect(
            try await fixture.ask("SELECT count(*) FROM message WHERE state = 0") == [.integer(79)])
    }

    @Test("M7: sixty warnings to one recipient delay neither a reset link nor other people's mail")
    func warnings() async throws {
        let route = RecordingRoute()
        let fixture = try NotificationFixture(in: TemporaryFolder(), routes: [.email: route])
        let spellings = ["ada@example.org", "Ada@Example.ORG", "ADA@example.org"]
        for number in 0..<60 {
            // All spellings are one mailbox.
            let request = NotificationFixture.warning(to: spellings[number % spellings.count])
            try await fixture.send(request, key: "warning \(number)")
        }
        try await fixture.send(NotificationFixture.reset(to: "aDa@example.org"), key: "reset")
        try await fixture.delivering { try await fixture.until(sent: 21) }
        #expect(route.recipients.contains("aDa@example.org"))
        #expect(
            try await fixture.ask("SELECT count(*) FROM message WHERE state = 0") == [.integer(20)])
        let dropped = try await fixture.outbox.listMessages(
            .init(state: .dead), fixture.context(from: "tool")
        ).messages
        #expect(dropped.count == 20)
        #expect(dropped.allSatisfy { $0.reason == "recipient-limit" && !$0.canBeRetried })
        #expect(fixture.log.lines.contains { $0.contains("notification.message.dropped") })
        #expect(
            try await fixture.ask("SELECT count(*) FROM message WHERE content IS NOT NULL")
                == [.integer(20)])
        // A repeat of a dropped message gets the same response as the first call.
        try await fixture.send(
            NotificationFixture.warning(to: spellings[59 % spellings.count]), key: "warning 59")
        #expect(try await fixture.ask("SELECT count(*) FROM message") == [.integer(61)])
    }
}
