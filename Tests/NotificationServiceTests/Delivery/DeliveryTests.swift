import ServiceRuntime
import Testing

@testable import NotificationService

@Suite("The state machine of a delivery")
struct DeliveryTests {
    private static let start = Timestamp(milliseconds: 1_000_000)
    private static let now = start + .seconds(60)

    private func delivery(
        _ state: DeliveryState, attempts: Int = 1, expiresAt: Timestamp? = nil
    ) -> Delivery {
        Delivery(state: state, attempts: attempts, acceptedAt: Self.start, expiresAt: expiresAt)
    }

    private static let failed = Delivery.Event.concluded(.failed("timed-out"), random: 0)
    private static let later = now + .milliseconds(1)
    private static let leased = DeliveryState.sending(until: now + Delivery.lease)

    struct Row: Sendable {
        let state: DeliveryState
        let event: Delivery.Event
        let after: DeliveryState?
        init(_ state: DeliveryState, _ event: Delivery.Event, _ after: DeliveryState?) {
            self.state = state
            self.event = event
            self.after = after
        }
    }

    @Test(
        "every event in every state gives the next state, or none",
        arguments: [
            Row(.queued, .claimed, leased),
            Row(.queued, .restarted, nil),
            Row(.queued, .concluded(.taken, random: 0), nil),
            Row(.waiting(until: now), .claimed, leased),
            Row(.waiting(until: later), .claimed, nil),
            Row(.waiting(until: now), .restarted, nil),
            Row(.waiting(until: now), failed, nil),
            Row(.sending(until: now), .claimed, leased),
            Row(.sending(until: later), .claimed, nil),
            Row(.sending(until: later), .restarted, .waiting(until: now)),
            Row(.sending(until: later), .concluded(.taken, random: 0), .sent),
            Row(
                .sending(until: later),
                .concluded(.refused("smtp-550", addressIsDead: true), random: 0), .dead(.refused)),
            Row(.sending(until: later), failed, .waiting(until: now + .seconds(1))),
            Row(.sent, .claimed, nil), Row(.sent, .restarted, nil), Row(.sent, failed, nil),
            Row(.dead(.expired), .claimed, nil), Row(.dead(.refused), .restarted, nil),
            Row(.dead(.refused), .concluded(.taken, random: 0), nil),
        ])
    func table(_ row: Row) {
        let after = delivery(row.state).after(row.event, at: Self.now)
        #expect(after?.state == row.after)
        let isTry = row.event == .claimed && row.after != nil
        if let after { #expect(after.attempts == (isTry ? 2 : 1)) }
    }

    @Test("N-05: an expired message is not sent, to the millisecond")
    func expiry() {
        let expiring = delivery(.queued, attempts: 0, expiresAt: Self.now)
        #expect(expiring.after(.claimed, at: Self.now)?.state == .dead(.expired))
        let before = Self.now - .milliseconds(1)
        #expect(
            expiring.after(.claimed, at: before)?.state == .sending(until: before + Delivery.lease))
    }

    @Test("a failed attempt ends the message if it expires before the next attempt")
    func noTimeLeft() {
        let sending = DeliveryState.sending(until: Self.later)
        let soon = delivery(sending, expiresAt: Self.now + .milliseconds(1_000))
        #expect(soon.after(Self.failed, at: Self.now)?.state == .dead(.expired))
        let enough = delivery(sending, expiresAt: Self.now + .milliseconds(1_001))
        #expect(
            enough.after(Self.failed, at: Self.now)?.state
                == .waiting(until: Self.now + .seconds(1)))
    }

    @Test("a message without expiry is given up after one day")
    func retryWindow() {
        let old = delivery(.waiting(until: Self.now), attempts: 40)
        let end = Self.start + Delivery.giveUpTime
        #expect(old.after(.claimed, at: end)?.state == .dead(.expired))
        #expect(old.after(.claimed, at: end - .milliseconds(1))?.state.isEnded == false)
    }

    @Test("the backoff doubles from 2 s to 5 min, with jitter between half and all of it")
    func backoff() {
        for (attempts, whole) in [(1, 2), (2, 4), (3, 8), (7, 128), (8, 256), (9, 300), (99, 300)] {
            let whole = Duration.seconds(whole)
            #expect(Delivery.wait(attempts: attempts, random: 0) == whole / 2)
            let longest = Delivery.wait(attempts: attempts, random: .max)
            #expect(longest > whole * 0.99 && longest <= whole)
        }
    }
}
