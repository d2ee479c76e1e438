import Contracts
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import NotificationService

@Suite("Priority of messages")
struct LaneTests {
    @Test("of 16 claims one is bulk, two are notices, four are warnings, at every batch size")
    func shares() {
        for size in [1, 2, 3, 5, 16, 64] {
            var shares = PriorityScheduler()
            var (warnings, notices, bulk) = (0, 0, 0)
            for _ in 0..<48 {
                let budget = shares.next(total: size, unrequested: size, lowPriority: size)
                warnings += budget.warnings
                notices += budget.notices
                bulk += budget.bulk
            }
            #expect(warnings == 48 * size / 4)
            #expect(notices == 48 * size / 8)
            #expect(bulk == 48 * size / 16)
        }
    }

    @Test("requested messages may use all that is left; the other lanes never exceed their share")
    func budget() {
        let budget = ClaimBudget(
            total: 10, unrequested: 7, lowPriority: 4, warnings: 2, notices: 3, bulk: 2)
        func limit(_ lane: Lane, _ isShare: Bool, _ all: Int, _ lowPriority: Int) -> Int {
            budget.limit(
                lane, isShare: isShare,
                taken: .init(all: all, unrequested: lowPriority, lowPriority: lowPriority))
        }
        #expect(limit(.bulk, true, 0, 0) == 2)
        #expect(limit(.notice, true, 2, 2) == 2)
        #expect(limit(.requested, true, 0, 0) == 0)
        #expect(limit(.requested, false, 4, 4) == 6)
        #expect(limit(.requested, false, 10, 4) == 0)
        #expect(limit(.security, true, 4, 4) == 2)
        #expect(limit(.security, false, 4, 4) == 3)
        #expect(limit(.security, false, 0, 0) == 7)
        #expect(limit(.security, false, 10, 4) == 0)
        #expect(limit(.notice, false, 5, 0) == 4)
        #expect(limit(.bulk, false, 8, 1) == 2)
        #expect(limit(.bulk, false, 9, 4) == 0)
    }

    @Test("N-06: a code accepted after 200 notices is sent before most of them")
    func order() async throws {
        let route = RecordingRoute()
        let fixture = try NotificationFixture(in: TemporaryFolder(), routes: [.email: route])
        for number in 0..<200 {
            try await fixture.send(
                NotificationFixture.notice(to: "n\(number)@example.org"), key: "n\(number)")
        }
        try await fixture.send(NotificationFixture.request(to: "code@example.org"), key: "code")
        try await fixture.delivering { try await fixture.until(sent: 201) }
        let place = try #require(route.recipients.firstIndex(of: "code@example.org"))
        // In the order of arrival it would be the last. Its task may run later than some others.
        #expect(place <= 100)
    }

    @Test("M7: a link accepted after 200 warnings is sent before most of them")
    func beforeWarnings() async throws {
        let route = RecordingRoute()
        let fixture = try NotificationFixture(in: TemporaryFolder(), routes: [.email: route])
        for number in 0..<200 {
            try await fixture.send(
                NotificationFixture.warning(to: "n\(number)@example.org"), key: "n\(number)")
        }
        try await fixture.send(NotificationFixture.reset(to: "owner@example.org"), key: "reset")
        try await fixture.delivering { try await fixture.until(sent: 201) }
        let place = try #require(route.recipients.firstIndex(of: "owner@example.org"))
        // As above.
        #expect(place <= 100)
    }

    @Test("no lane starves: notices are sent even under an endless load of codes and links")
    func starvation() async throws {
        let fixture = try NotificationFixture(in: TemporaryFolder())
        for number in 0..<40 {
            try await fixture.send(
                NotificationFixture.request(to: "s\(number)@example.org"), key: "s\(number)")
        }
        for number in 0..<4 {
            try await fixture.send(
                NotificationFixture.notice(to: "n\(number)@example.org"), key: "n\(number)")
        }
        let claimed = try await fixture.store.writeUnchecked { transaction in
            var shares = PriorityScheduler()
            return try (0..<16).flatMap { _ in
                try transaction.claim(
                    .email, shares.next(total: 1, unrequested: 1, lowPriority: 1),
                    by: .onlyProcess
                ).leased
            }
        }
        #expect(claimed.count == 16)
        #expect(claimed.count { $0.lane == .notice } == 2)
    }

    @Test("notices use at most three quarters of the slots")
    func slots() async throws {
        let fixture = try NotificationFixture(in: TemporaryFolder())
        for number in 0..<12 {
            try await fixture.send(
                NotificationFixture.notice(to: "n\(number)@example.org"), key: "n\(number)")
        }
        try await fixture.send(NotificationFixture.request(), key: "code")
        let claimed = try await fixture.store.writeUnchecked { try $0.claimMails(13) }
        var ready = InFlightMessages.ReadyQueue(slots: 8)
        ready.add(claimed.filter { $0.lane == .notice })
        for _ in 0..<6 { #expect(ready.next()?.lane == .notice) }
        #expect(ready.next() == nil)
        ready.add(claimed.filter { $0.lane == .requested })
        #expect(ready.next()?.lane == .requested)
        #expect(ready.next() == nil)
        ready.leave(.notice)
        #expect(ready.next()?.lane == .notice)
        #expect(ready.removeAll().count == 5)
    }
}
