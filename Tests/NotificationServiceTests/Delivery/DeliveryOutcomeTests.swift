import FoundationEssentials
import Glibc
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import NotificationService

@Suite("The state of a message after each outcome")
struct DeliveryOutcomeTests {
    private static let start = Timestamp(milliseconds: 1_000_000)
    private static let sending = Delivery(
        state: .sending(until: start + .seconds(180)), attempts: 3, acceptedAt: start,
        expiresAt: nil)

    private func after(_ outcome: DeliveryOutcome, of delivery: Delivery = sending) -> Delivery? {
        delivery.after(.concluded(outcome, random: 0), at: Self.start + .seconds(1))
    }

    @Test("Retry-After lengthens the wait before the next attempt and never shortens it")
    func retryAfter() {
        let long = after(.failed("busy", retryAfter: .seconds(600)))
        #expect(long?.state == .waiting(until: Self.start + .seconds(601)))
        let short = after(.failed("busy", retryAfter: .milliseconds(1)))
        #expect(short?.state == .waiting(until: Self.start + .seconds(5)))
    }

    @Test("if no provider is available, the message waits and no attempt is counted")
    func unavailable() {
        let until = Self.start + .seconds(30)
        let waiting = after(.unavailable("breaker-open", until: until))
        #expect(waiting?.state == .waiting(until: until))
        #expect(waiting?.attempts == 2)
    }

    @Test("a message that the operator retries gets its whole retry period again")
    func renewed() {
        let old = Delivery(
            state: .waiting(until: Self.start), attempts: 3, acceptedAt: Self.start,
            expiresAt: nil, renewedAt: Self.start + .seconds(3 * 86_400))
        let soon = Self.start + .seconds(3 * 86_400 + 60)
        #expect(old.after(.claimed, at: soon)?.state == .sending(until: soon + Delivery.lease))
    }

    @Test("a dead message's content is stored for seven days, but never beyond its expiry")
    func retained() {
        func retained(_ expiresAt: Timestamp?) -> Timestamp? {
            Delivery(
                state: .dead(.refused), attempts: 1, acceptedAt: Self.start, expiresAt: expiresAt
            ).retainedUntil(from: Self.start)
        }
        #expect(retained(nil) == Self.start + .seconds(7 * 86_400))
        #expect(retained(Self.start + .seconds(60)) == Self.start + .seconds(60))
        #expect(retained(Self.start) == nil)
    }

    @Test("a dead address is passed to the route in the transaction that ends the message")
    func deadAddress() async throws {
        let route = RecordingRoute { _ in .refused("gone", addressIsDead: true) }
        let fixture = try NotificationFixture(in: TemporaryFolder(), routes: [.email: route])
        try await fixture.send()
        try await fixture.delivering {
            try await fixture.until("SELECT state FROM message", gives: .integer(4))
        }
        let dead = try #require(route.dead.first)
        #expect(route.dead.count == 1)
        #expect(dead.reason == "gone")
        #expect(
            try await fixture.ask("SELECT recipient_hash FROM message") == [.blob(dead.recipient)])
        #expect(
            try await fixture.ask("SELECT count(*) FROM audit WHERE kind = 'message.dead'") == [
                .integer(2)
            ])
    }

    @Test("no message is claimed while the route is closed; all are sent once it opens")
    func closed() async throws {
        let route = RecordingRoute()
        let fixture = try NotificationFixture(in: TemporaryFolder(), routes: [.email: route])
        route.readiness = .closed(until: fixture.time.now() + .seconds(30))
        for number in 0..<20 { try await fixture.send(key: "\(number)") }
        try await fixture.delivering {
            await fixture.time.sleepers()
            #expect(try await fixture.ask("SELECT max(attempts) FROM message") == [.integer(0)])
            route.readiness = .ready(.max)
            fixture.time.advance(by: .seconds(30))
            try await fixture.until(sent: 20)
        }
        #expect(route.messages.allSatisfy { $0.attempt == 1 })
    }

    @Test("SECURITY.md, Erasure: a sent message's content is gone from the database and its WAL")
    func wiped() async throws {
        let fixture = try NotificationFixture(in: TemporaryFolder())
        // What a start truncates; from here on only what ends does.
        try await fixture.delivery.log.truncate()
        try await fixture.send()
        let stored = try await fixture.ask("SELECT content FROM message").first
        guard case .blob(let content)? = stored else {
            Issue.record("an accepted message has no content")
            return
        }
        func isStored() throws -> Bool {
            try fixture.store.storedBytes().withUnsafeBytes { bytes in
                guard let start = bytes.baseAddress else { return false }
                return (0..<max(0, bytes.count - content.count + 1)).contains {
                    memcmp(start + $0, content, content.count) == 0
                }
            }
        }
        #expect(try isStored())
        try await fixture.delivering { try await fixture.until(sent: 1) }
        try await fixture.delivery.log.truncate()
        #expect(try !isStored())
    }
}
