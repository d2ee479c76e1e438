package import Contracts
import Logging
import Messages
import RPC
import ServiceRuntime
import Storage
import Synchronization

/// A service whose events are told to webhooks.
package struct EventSource: Sendable {
    /// Which service.
    package let origin: EventOrigin
    /// Its feed.
    package let events: any EventsAPI

    /// The feed of a service.
    package init(_ origin: EventOrigin, _ events: any EventsAPI) {
        self.origin = origin
        self.events = events
    }
}

/// Takes over what the services' feeds have, while there are webhooks: reads each from where it
/// stood, merges, and keeps events, positions and what now waits for each webhook in one
/// transaction. So an event is kept once however often this program or another is killed.
final class EventIntake: Sendable {
    /// How often feeds are read; an event is on its way within this and `EventMerge.settling`.
    static let every: Duration = .milliseconds(500)
    private static let timeout: Duration = .seconds(5)

    let sources: [EventSource]
    let store: Store
    let time: any Time
    let randomness: any Randomness
    let logger: Logger
    private let heard = Mutex<[EventOrigin: Timestamp]>([:])

    init(
        sources: [EventSource], store: Store, time: any Time, randomness: any Randomness,
        logger: Logger
    ) {
        self.sources = sources
        self.store = store
        self.time = time
        self.randomness = randomness
        self.logger = logger
    }

    /// Takes over once.
    /// - Returns: how many events were kept.
    /// - Throws: what the store throws.
    func takeOver() async throws -> Int {
        let positions = try await store.read { try $0.eventPositions() }
        var readings: [(source: EventSource, reading: EventMerge.Reading, end: Int64)] = []
        for source in sources {
            let (reading, end) = await read(source, after: positions[source.origin])
            readings.append((source, reading, end))
        }
        let settled = EventMerge.settled(readings.map(\.reading), at: time.now())
        let ends = Self.ends(of: readings.map { ($0.source.origin, $0.reading, $0.end) }, settled)
        let changed = ends.filter { positions[$0.key] != $0.value }
        guard !changed.isEmpty else { return 0 }
        let ids = settled.map { _ in EventID.drawn(from: randomness) }
        try await store.write { try $0.take(zip(settled, ids), ends: changed) }
        return settled.count
    }

    /// A feed from its position on; from its present end, where it has never been read: a first
    /// webhook is not told of the past.
    private func read(
        _ source: EventSource, after position: Int64?
    ) async -> (EventMerge.Reading, end: Int64) {
        let now = time.now()
        do {
            let answer = try await source.events.readEvents(
                EventsV1.ReadEventsRequest(after: position ?? 0, positionOnly: position == nil),
                // Named for the service's own feed, which is asked without a connection.
                CallContext(
                    application: "notification", deadline: time.uptime() + Self.timeout))
            heard.withLock { $0[source.origin] = now }
            let events = answer.events.compactMap { ServiceEvent($0, from: source.origin) }
            return (
                EventMerge.Reading(
                    events: events, isWhole: answer.isWhole,
                    readAt: Timestamp(milliseconds: answer.readAtMs), heardAt: now),
                answer.position
            )
        } catch {
            let heardAt = heard.withLock { heard in
                let before = heard[source.origin] ?? now
                heard[source.origin] = before
                return before
            }
            logger.debug("a service's events cannot be read", fields: [.detail: .error(error)])
            return (
                EventMerge.Reading(events: [], isWhole: false, readAt: nil, heardAt: heardAt),
                position ?? 0
            )
        }
    }

    /// Up to where each feed is now taken: to the end of what was read, or to the last event that
    /// has settled.
    private static func ends(
        of readings: [(EventOrigin, EventMerge.Reading, Int64)], _ settled: [ServiceEvent]
    ) -> [EventOrigin: Int64] {
        var ends: [EventOrigin: Int64] = [:]
        for (origin, reading, end) in readings where reading.readAt != nil {
            let taken = settled.last { $0.origin == origin }?.position
            if taken == reading.events.last?.position {
                ends[origin] = end
            } else if let taken {
                ends[origin] = taken
            }
        }
        return ends
    }
}

extension Transaction {
    /// Keeps events and has them wait for the webhooks that want them.
    fileprivate func take(
        _ events: some Sequence<(ServiceEvent, EventID)>, ends: [EventOrigin: Int64]
    ) throws {
        let webhooks = try webhooks().compactMap { row in
            WebhookFilter(text: row.events).map { (id: row.id, filter: $0) }
        }
        for (event, id) in events {
            let position = try keep(event, id: id)
            for webhook in webhooks where webhook.filter.wants(event.kind) {
                try enqueue(event: position, lane: event.lane, webhook: webhook.id)
            }
        }
        for (origin, position) in ends { try setEventPosition(position, of: origin) }
    }
}
