import ServiceRuntime

/// What a worker has in hand: messages that wait for a place, are being tried, or whose end is not
/// yet on disk. Only these can go out twice after a crash, so their number is the bound on
/// duplicates. Pure; the worker guards it with a lock.
struct InFlightMessages: Sendable {
    /// Messages in hand for each try at once: enough to hide the commit that notes their ends
    /// behind the next tries.
    static let messagesPerPlace = 8

    private let messagesMax: Int
    private let places: Int
    private var ready: ReadyMessages
    private var ended: [Conclusion] = []
    private var count = 0
    /// Of these, all but what the readers asked for; those whose end is being noted are taken off.
    private var unrequested = 0
    private var shares = PriorityScheduler()
    /// Ends of the last round: as many may be claimed ahead. A quick server is given its next
    /// messages while the ends of the last are noted; for a slow one nothing waits in hand.
    private var lastEnds = 0

    init(places: Int) {
        self.places = places
        messagesMax = places * Self.messagesPerPlace
        ready = ReadyMessages(places: places)
    }

    /// Whether there is nothing.
    var isEmpty: Bool { count == 0 }

    /// What may be claimed now; nil for nothing.
    mutating func claimBudget(_ readiness: RouteReadiness) -> ClaimBudget? {
        guard case .ready(let most) = readiness else { return nil }
        // What has ended leaves the hand in the transaction that claims.
        let busy = count - ended.count
        let total = min(messagesMax - busy, most)
        guard total > 0 else { return nil }
        let unrequestedBusy = unrequested - ended.count { $0.message.lane != .requested }
        return shares.next(
            total: total,
            // So many stay free for codes and links, however slow a server is with warnings.
            unrequested: max(0, messagesMax - places - unrequestedBusy),
            patient: max(0, places + 2 * lastEnds - busy))
    }

    /// The ends to be noted now; they stay in hand until `settle`.
    mutating func takeEnds() -> [Conclusion] {
        defer { ended = [] }
        unrequested -= ended.count { $0.message.lane != .requested }
        return ended
    }

    /// The ends are noted, and messages were claimed.
    mutating func settle(ends: Int, claimed: [StoredMessage]) {
        lastEnds = ends
        count += claimed.count - ends
        unrequested += claimed.count { $0.lane != .requested }
        ready.add(claimed)
    }

    /// The ends could not be noted.
    mutating func putBack(_ ends: [Conclusion]) {
        unrequested += ends.count { $0.message.lane != .requested }
        ended = ends + ended
    }

    /// The next message to try.
    mutating func next() -> StoredMessage? { ready.next() }

    /// A try has ended.
    mutating func end(_ conclusion: Conclusion) {
        ready.leave(conclusion.message.lane)
        ended.append(conclusion)
    }

    /// A try was cut off; its message stays leased.
    mutating func abandon(_ message: StoredMessage) {
        ready.leave(message.lane)
        count -= 1
        if message.lane != .requested { unrequested -= 1 }
    }

    /// Puts back, untried, all that wait.
    mutating func putBackReady(at now: Timestamp) {
        ended += ready.removeAll().map {
            Conclusion(message: $0, outcome: .unavailable("stopping", until: now), lot: 0)
        }
    }
}
