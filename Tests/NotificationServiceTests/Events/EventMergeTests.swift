import Messages
import ServiceRuntime
import TestSupport
import Testing

@testable import NotificationService

@Suite("Merging the services' events")
struct EventMergeTests {
    static let now = Timestamp(milliseconds: 1_000_000)

    static func event(_ origin: EventOrigin, _ position: Int64, at ms: Int64) throws -> ServiceEvent
    {
        let event = EventsV1.Event(position: position, atMs: ms, kind: "session.started")
        return try #require(ServiceEvent(event, from: origin))
    }

    static func reading(
        _ events: [ServiceEvent], isWhole: Bool = true, readAt: Timestamp? = now,
        answeredAt: Timestamp = now
    ) -> EventMerge.Reading<ServiceEvent> {
        EventMerge.Reading(events: events, isWhole: isWhole, readAt: readAt, answeredAt: answeredAt)
    }

    @Test("events are ordered by time, and by service where the times are equal")
    func order() throws {
        let identity = try [Self.event(.identity, 1, at: 10), Self.event(.identity, 2, at: 30)]
        let session = try [Self.event(.session, 7, at: 10), Self.event(.session, 8, at: 20)]
        let settled = EventMerge.settled(
            [Self.reading(session), Self.reading(identity)], at: Self.now)
        #expect(settled == [identity[0], session[0], session[1], identity[1]])
    }

    @Test("events of the last second wait, since an earlier one may still be committed")
    func settling() throws {
        let edge = Self.now.milliseconds - 1_000
        let events = try [Self.event(.session, 1, at: edge), Self.event(.session, 2, at: edge + 1)]
        #expect(EventMerge.settled([Self.reading(events)], at: Self.now) == [events[0]])
    }

    @Test("an unavailable service delays the other services' events for ten seconds at most")
    func silence() throws {
        let session = try [Self.event(.session, 1, at: 10)]
        func settled(silentFor silence: Duration) -> [ServiceEvent] {
            let unavailable = Self.reading([], readAt: nil, answeredAt: Self.now - silence)
            return EventMerge.settled([Self.reading(session), unavailable], at: Self.now)
        }
        #expect(settled(silentFor: .milliseconds(9_999)).isEmpty)
        #expect(settled(silentFor: .seconds(10)) == session)
    }

    @Test("a feed that was not read to its end delays the others up to where it was read")
    func more() throws {
        let identity = try [Self.event(.identity, 1, at: 10)]
        let session = try [Self.event(.session, 1, at: 10), Self.event(.session, 2, at: 11)]
        let settled = EventMerge.settled(
            [Self.reading(identity, isWhole: false), Self.reading(session)], at: Self.now)
        #expect(settled == [identity[0], session[0]])
    }

    @Test("events of one feed keep the feed's order, even if its clock went back")
    func backwards() throws {
        let session = try [Self.event(.session, 1, at: 50), Self.event(.session, 2, at: 40)]
        let identity = try [Self.event(.identity, 1, at: 45)]
        let settled = EventMerge.settled(
            [Self.reading(session), Self.reading(identity)], at: Self.now)
        #expect(settled == [identity[0], session[0], session[1]])
    }

    @Test(
        "an event kind that would need escaping is rejected",
        arguments: [
            "", "session started", "a\"b", "Session", "a\nb", String(repeating: "a", count: 65),
        ])
    func hostile(_ kind: String) {
        let event = EventsV1.Event(position: 1, atMs: 1, kind: kind)
        #expect(ServiceEvent(event, from: .session) == nil)
    }

    @Test(
        "a detail, a country and an agent that would need escaping are rejected",
        arguments: ["a\"b", "a\nb", "Größe", "a\\b"])
    func hostileDetails(_ text: String) {
        let event = EventsV1.Event(position: 1, atMs: 1, kind: "session.ended")
        var events = [event, event, event]
        events[0].detail = text
        events[1].country = text
        events[2].agent = text
        for event in events { #expect(ServiceEvent(event, from: .session) == nil) }
        #expect(ServiceEvent(event, from: .session)?.detail == nil)
        events[0].detail = "eyJhbGciOiJFZERTQSJ9.eyJhIjoxfQ.c2ln_-"
        #expect(ServiceEvent(events[0], from: .session) != nil)
    }

    @Test("50 seeds: no event is lost, duplicated or out of order, however the feeds are read")
    func model() throws {
        for seed in UInt64(1)...50 {
            let random = SeededRandomness(seed: seed)
            var feeds: [EventOrigin: [ServiceEvent]] = [:]
            for origin in [EventOrigin.identity, .session] {
                var at: Int64 = 0
                feeds[origin] = try (Int64(1)...40).map { number in
                    at += Int64(random.integer() % 400)
                    return try Self.event(origin, number, at: at)
                }
            }
            var taken: [EventOrigin: Int] = [.identity: 0, .session: 0]
            var passed: [ServiceEvent] = []
            for step in Int64(1)...400 {
                let now = Timestamp(milliseconds: step * 100)
                let readings = feeds.map { origin, events in
                    let known = events.dropFirst(taken[origin] ?? 0).filter { $0.at <= now }
                    let read = Array(known.prefix(3))
                    return Self.reading(
                        read, isWhole: read.count == known.count, readAt: now, answeredAt: now)
                }
                let settled = EventMerge.settled(readings, at: now)
                for event in settled { taken[event.origin, default: 0] += 1 }
                passed += settled
            }
            #expect(passed.count == 80, "seed \(seed)")
            #expect(passed.map(\.at) == passed.map(\.at).sorted(), "seed \(seed)")
            #expect(Set(passed).count == passed.count, "seed \(seed)")
        }
    }
}
