import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import NotificationService

@Suite("Leases of several processes on one store")
struct LeaseHolderTests {
    private static let other = LeaseHolder(key: 2)

    /// The delivery of a second process on a fixture's store, with a route of its own.
    private struct Neighbour: DeliveringFixture {
        let store: Store
        let time: ManualTime
        let delivery: BackgroundDelivery
        let route = RecordingRoute()

        init(of fixture: NotificationFixture) throws {
            store = fixture.store
            time = fixture.time
            delivery = BackgroundDelivery(
                settings: try NotificationFixture.settings([:]), holder: LeaseHolderTests.other,
                store: fixture.store, keys: fixture.keys, routes: [.email: route],
                time: fixture.time, randomness: SeededRandomness(seed: 2),
                logger: fixture.log.logger(time: fixture.time))
        }
    }

    @Test("N-03: two processes on one store send each message once")
    func together() async throws {
        let route = RecordingRoute()
        let fixture = try NotificationFixture(in: TemporaryFolder(), routes: [.email: route])
        let neighbour = try Neighbour(of: fixture)
        for number in 0..<200 {
            try await fixture.send(
                NotificationFixture.request(to: "p\(number)@example.org"), key: "\(number)")
        }
        try await fixture.delivering {
            try await neighbour.delivering { try await fixture.until(sent: 200) }
        }
        let sent = route.messages + neighbour.route.messages
        #expect(sent.count == 200)
        #expect(Set(sent.map(\.id)).count == 200)
        #expect(sent.allSatisfy { $0.attempt == 1 })
    }

    @Test("a start releases no lease of another holder; its message is sent when the lease ends")
    func start() async throws {
        let fixture = try NotificationFixture(in: TemporaryFolder())
        try await fixture.send()
        let claimed = try await fixture.store.writeUnchecked { try $0.claimMails(1) }
        #expect(claimed.map(\.holder) == [.onlyProcess])
        let neighbour = try Neighbour(of: fixture)
        try await neighbour.delivering {
            await fixture.time.sleepers()
            #expect(
                try await fixture.ask("SELECT holder FROM message WHERE state = 1")
                    == [.integer(LeaseHolder.onlyProcess.key)])
            #expect(neighbour.route.messages.isEmpty)
            fixture.time.advance(by: Delivery.lease)
            try await fixture.until(sent: 1)
        }
        #expect(neighbour.route.messages.map(\.attempt) == [2])
        #expect(try await fixture.ask("SELECT holder FROM message") == [.integer(2)])
    }

    @Test("an outcome that arrives after another holder has claimed the message records nothing")
    func late() async throws {
        let route = RecordingRoute()
        let fixture = try NotificationFixture(in: TemporaryFolder())
        try await fixture.send()
        let first = try #require(
            try await fixture.store.writeUnchecked { try $0.claimMails(1) }.first)
        fixture.time.advance(by: Delivery.lease)
        let second = try #require(
            try await fixture.store.writeUnchecked { try $0.claimMails(1, by: Self.other) }.first)
        let refused = FinishedAttempt(
            message: first, outcome: .refused("smtp-550", addressIsDead: true), jitter: 0)
        #expect(try await conclude(refused, route, fixture) == nil)
        #expect(route.dead.isEmpty)
        #expect(try await fixture.ask("SELECT count(*) FROM failed_try") == [.integer(0)])
        #expect(try await fixture.ask("SELECT attempts FROM message") == [.integer(2)])
        let taken = FinishedAttempt(message: second, outcome: .taken, jitter: 0)
        #expect(try await conclude(taken, route, fixture) == .sent)
    }

    /// A lost connection can hide that a commit has happened. Putting a message back lowers its
    /// attempts, so the next claim has the same state and number as the one before it.
    @Test("an outcome recorded twice does not end the lease that another holder got in between")
    func twice() async throws {
        let route = RecordingRoute()
        let fixture = try NotificationFixture(in: TemporaryFolder())
        try await fixture.send()
        let first = try #require(
            try await fixture.store.writeUnchecked { try $0.claimMails(1) }.first)
        let now = fixture.time.now()
        let back = FinishedAttempt(
            message: first, outcome: .unavailable("stopping", until: now), jitter: 0)
        #expect(try await conclude(back, route, fixture) == .waiting(until: now))
        let second = try #require(
            try await fixture.store.writeUnchecked { try $0.claimMails(1, by: Self.other) }.first)
        #expect(second.delivery == first.delivery)
        #expect(try await conclude(back, route, fixture) == nil)
        #expect(
            try await fixture.ask("SELECT holder FROM message WHERE state = 1") == [.integer(2)])
    }

    /// The state after an outcome was recorded; nil if it was not.
    private func conclude(
        _ attempt: FinishedAttempt, _ route: RecordingRoute, _ fixture: NotificationFixture
    ) async throws -> DeliveryState? {
        try await fixture.store.writeUnchecked {
            try $0.conclude(attempt, routes: [.email: route])?.delivery.state
        }
    }
}
