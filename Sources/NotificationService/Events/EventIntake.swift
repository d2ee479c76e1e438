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
    /// - Returns: whether a feed has more to be read at once.
    /// - Throws: what the store throws.
    func takeOver() async throws -> Bool {
        let places = try await store.read { try $0.feedPositions() }
        var read: [FeedReading] = []
        for source in sources { read.append(await self.read(source, after: places[source.origin])) }
        let settled = EventMerge.settled(read.map(\.reading), at: time.now())
        let ends = Self.ends(of: read, settled).filter { places[$0.key] != $0.value }
        guard !ends.isEmpty else { return false }
        let ids = settled.map { _ in EventID.drawn(from: randomness) }
        try await store.write { try $0.take(zip(settled, ids), ends: ends) }
        return read.contains { $0.reading.readAt != nil && !$0.reading.isWhole }
    }

    /// A feed as it was read, and where the reading ends.
    private struct FeedReading {
        let origin: EventOrigin
        let reading: EventMerge.Reading
        let end: FeedPosition
    }

    /// A feed from its position on; from its present end, where it has never been read: a first
    /// webhook is not told of the past.
    private func read(_ source: EventSource, after place: FeedPosition?) async -> FeedReading {
        let now = time.now()
        do {
            let answer = try await source.events.readEvents(
                EventsV1.ReadEventsRequest(
                    after: place?.position ?? 0, positionOnly: place == nil,
                    afterAtMs: place?.atMs ?? 0),
                // Named for the service's own feed, which is asked without a connection.
                CallContext(
                    application: "notification", deadline: time.uptime() + Self.timeout))
            heard.withLock { $0[source.origin] = now }
            return FeedReading(
                origin: source.origin,
                reading: EventMerge.Reading(
                    events: answer.events.compactMap { ServiceEvent($0, from: source.origin) },
                    isWhole: answer.isWhole, readAt: Timestamp(milliseconds: answer.readAtMs),
                    heardAt: now),
                end: FeedPosition(position: answer.position, atMs: answer.positionAtMs))
        } catch {
            logger.debug(
                "notification.events.read.failed", "reading a service's event feed failed",
                fields: [.detail: .error(error)])
            return FeedReading(
                origin: source.origin,
                reading: EventMerge.Reading(
                    events: [], isWhole: false, readAt: nil,
                    heardAt: lastHeard(source.origin, now)),
                end: place ?? FeedPosition(position: 0, atMs: 0))
        }
    }

    /// When a service last answered; for one that has not, since it is asked.
    private func lastHeard(_ origin: EventOrigin, _ now: Timestamp) -> Timestamp {
        heard.withLock { heard in
            let before = heard[origin] ?? now
            heard[origin] = before
            return before
        }
    }

    /// Up to where each feed is now taken: to the end of what was read, or to the last event that
    /// has settled.
    private static func ends(
        of read: [FeedReading], _ settled: [ServiceEvent]
    ) -> [EventOrigin: FeedPosition] {
        var ends: [EventOrigin: FeedPosition] = [:]
        for feed in read where feed.reading.readAt != nil {
            let taken = settled.last { $0.origin == feed.origin }
            if taken == feed.reading.events.last {
                ends[feed.origin] = feed.end
            } else if let taken {
                ends[feed.origin] = FeedPosition(
                    position: taken.position, atMs: taken.at.milliseconds)
            }
        }
        return ends
    }
}

extension Transaction {
    /// Keeps the events that a webhook wants, and has them wait for it; one that is being sent the
    /// past once more comes to them in their turn.
    fileprivate func take(
        _ events: some Sequence<(ServiceEvent, EventID)>, ends: [EventOrigin: FeedPosition]
    ) throws {
        let webhooks = try webhooks().compactMap { row in
            WebhookFilter(text: row.events).map { (row: row, filter: $0) }
        }
        for (event, id) in events {
            let wanting = webhooks.filter { $0.filter.wants(event.kind) }
            guard !wanting.isEmpty else { continue }
            let position = try keep(event, id: id)
            for webhook in wanting where webhook.row.replayedTo == nil {
                try enqueue(event: position, lane: event.lane, webhook: webhook.row.id)
            }
        }
        for (origin, place) in ends { try setFeedPosition(place, of: origin) }
    }
}
