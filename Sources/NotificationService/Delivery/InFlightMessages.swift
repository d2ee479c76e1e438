import Contracts
import ServiceRuntime

/// The messages that a worker holds: those that wait for a slot, are being delivered, or whose
/// outcome is not yet on disk. Only these can be sent twice after a crash, so their number bounds
/// the duplicates. Pure; the worker guards it with a lock.
struct InFlightMessages: Sendable {
    /// Messages in flight per concurrent attempt: enough for attempts to run while the commit that
    /// stores outcomes is in progress.
    static let messagesPerSlot = 8

    private let messagesMax: Int
    private let slots: Int
    private var ready: ReadyQueue
    private var finished: [FinishedAttempt] = []
    private var count = 0
    /// Those of them that the reader did not request, without those whose outcome is being stored.
    private var unrequestedCount = 0
    private var scheduler = PriorityScheduler()
    /// Outcomes of the last round. As many messages may be claimed ahead. A fast server gets its
    /// next messages while the outcomes of the last ones are stored; for a slow one no message
    /// waits here.
    private var lastFinished = 0

    init(slots: Int) {
        self.slots = slots
        messagesMax = slots * Self.messagesPerSlot
        ready = ReadyQueue(slots: slots)
    }

    /// Whether no message is in flight.
    var isEmpty: Bool { count == 0 }

    /// How many messages may be claimed now; nil for none.
    mutating func claimBudget(_ readiness: RouteReadiness) -> ClaimBudget? {
        guard case .ready(let most) = readiness else { return nil }
        // Messages whose attempts have ended are released in the transaction that claims.
        let busy = count - finished.count
        let total = min(messagesMax - busy, most)
        guard total > 0 else { return nil }
        let unrequestedBusy = unrequestedCount - finished.count { $0.message.lane != .requested }
        return scheduler.next(
            total: total,
            // This many stay free for codes and links, however slowly a server takes warnings.
            unrequested: max(0, messagesMax - slots - unrequestedBusy),
            lowPriority: max(0, slots + 2 * lastFinished - busy))
    }

    /// The outcomes to be stored now. They count as in flight until `settle`.
    mutating func takeFinished() -> [FinishedAttempt] {
        defer { finished = [] }
        unrequestedCount -= finished.count { $0.message.lane != .requested }
        return finished
    }

    /// The outcomes were stored, and messages were claimed.
    mutating func settle(finished: Int, claimed: [StoredMessage]) {
        lastFinished = finished
        count += claimed.count - finished
        unrequestedCount += claimed.count { $0.lane != .requested }
        ready.add(claimed)
    }

    /// The outcomes could not be stored.
    mutating func putBack(_ attempts: [FinishedAttempt]) {
        unrequestedCount += attempts.count { $0.message.lane != .requested }
        finished = attempts + finished
    }

    /// The next message to try.
    mutating func next() -> StoredMessage? { ready.next() }

    /// An attempt has ended.
    mutating func finish(_ attempt: FinishedAttempt) {
        ready.leave(attempt.message.lane)
        finished.append(attempt)
    }

    /// An attempt was cut off. Its message keeps its lease.
    mutating func abandon(_ message: StoredMessage) {
        ready.leave(message.lane)
        count -= 1
        if message.lane != .requested { unrequestedCount -= 1 }
    }

    /// Puts back, without an attempt, all messages that wait.
    mutating func putBackReady(at now: Timestamp) {
        finished += ready.removeAll().map {
            FinishedAttempt(
                message: $0,
                outcome: .unavailable(DeliveryReason.stopping.rawValue, until: now), jitter: 0)
        }
    }
}

extension InFlightMessages {
    /// Claimed messages that wait for a free slot, the most urgent ones first. Notices and bulk
    /// leave a quarter of the slots free (if there are at least four); together with warnings they
    /// leave an eighth free (at least one of four). So they cannot occupy all slots with slow
    /// attempts while a code waits (N-06). Pure.
    struct ReadyQueue: Sendable {
        /// Concurrent attempts.
        private let slots: Int
        /// How many of them may serve messages that the reader did not request.
        private let unrequestedSlots: Int
        /// How many of them may serve notices and bulk.
        private let lowPrioritySlots: Int
        private var waiting: [Lane: [StoredMessage]] = [:]
        private var underway = ClaimBudget.LaneCounts()

        init(slots: Int) {
            self.slots = slots
            unrequestedSlots = slots - (slots + 4) / 8
            lowPrioritySlots = slots - slots / 4
        }

        /// Appends messages to their lanes.
        mutating func add(_ messages: [StoredMessage]) {
            for message in messages { waiting[message.lane, default: []].append(message) }
        }

        /// The next message to deliver, if any. It occupies a slot until `leave`.
        mutating func next() -> StoredMessage? {
            for lane in Lane.allCases where hasFreeSlot(lane) {
                guard waiting[lane]?.isEmpty == false, let message = waiting[lane]?.removeFirst()
                else {
                    continue
                }
                underway.add(1, lane)
                return message
            }
            return nil
        }

        private func hasFreeSlot(_ lane: Lane) -> Bool {
            underway.all < slots
                && (lane == .requested || underway.unrequested < unrequestedSlots)
                && (!lane.isLowPriority || underway.lowPriority < lowPrioritySlots)
        }

        /// An attempt has ended.
        mutating func leave(_ lane: Lane) { underway.add(-1, lane) }

        /// Removes all messages that wait.
        mutating func removeAll() -> [StoredMessage] {
            defer { waiting = [:] }
            return Lane.allCases.flatMap { waiting[$0] ?? [] }
        }
    }
}
