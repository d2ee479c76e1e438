import ServiceRuntime

/// The messages that a worker holds: those that wait for a slot, are being delivered, or whose
/// outcome is not yet on disk. Only these can be sent twice after a crash, so their number bounds
/// the duplicates. Pure; the worker guards it with a lock.
struct InFlightMessages: Sendable {
    /// Messages in flight per concurrent attempt: enough for attempts to run while the commit that
    /// stores outcomes is in progress.
    static let messagesPerPlace = 8

    private let messagesMax: Int
    private let places: Int
    private var ready: ReadyMessages
    private var ended: [Conclusion] = []
    private var count = 0
    /// Those of them that the reader did not ask for, without those whose outcome is being stored.
    private var unrequested = 0
    private var shares = PriorityScheduler()
    /// Outcomes of the last round. As many messages may be claimed ahead. A fast server gets its
    /// next messages while the outcomes of the last ones are stored; for a slow one no message
    /// waits here.
    private var lastEnds = 0

    init(places: Int) {
        self.places = places
        messagesMax = places * Self.messagesPerPlace
        ready = ReadyMessages(places: places)
    }

    /// Whether no message is in flight.
    var isEmpty: Bool { count == 0 }

    /// How many messages may be claimed now; nil for none.
    mutating func claimBudget(_ readiness: RouteReadiness) -> ClaimBudget? {
        guard case .ready(let most) = readiness else { return nil }
        // Messages whose attempts have ended are released in the transaction that claims.
        let busy = count - ended.count
        let total = min(messagesMax - busy, most)
        guard total > 0 else { return nil }
        let unrequestedBusy = unrequested - ended.count { $0.message.lane != .requested }
        return shares.next(
            total: total,
            // This many stay free for codes and links, however slowly a server takes warnings.
            unrequested: max(0, messagesMax - places - unrequestedBusy),
            patient: max(0, places + 2 * lastEnds - busy))
    }

    /// The outcomes to be stored now. They count as in flight until `settle`.
    mutating func takeEnds() -> [Conclusion] {
        defer { ended = [] }
        unrequested -= ended.count { $0.message.lane != .requested }
        return ended
    }

    /// The outcomes were stored, and messages were claimed.
    mutating func settle(ends: Int, claimed: [StoredMessage]) {
        lastEnds = ends
        count += claimed.count - ends
        unrequested += claimed.count { $0.lane != .requested }
        ready.add(claimed)
    }

    /// The outcomes could not be stored.
    mutating func putBack(_ ends: [Conclusion]) {
        unrequested += ends.count { $0.message.lane != .requested }
        ended = ends + ended
    }

    /// The next message to try.
    mutating func next() -> StoredMessage? { ready.next() }

    /// An attempt has ended.
    mutating func end(_ conclusion: Conclusion) {
        ready.leave(conclusion.message.lane)
        ended.append(conclusion)
    }

    /// An attempt was cut off. Its message keeps its lease.
    mutating func abandon(_ message: StoredMessage) {
        ready.leave(message.lane)
        count -= 1
        if message.lane != .requested { unrequested -= 1 }
    }

    /// Puts back, without an attempt, all messages that wait.
    mutating func putBackReady(at now: Timestamp) {
        ended += ready.removeAll().map {
            Conclusion(message: $0, outcome: .unavailable("stopping", until: now), lot: 0)
        }
    }
}
