/// Claimed messages that wait for a free slot, the most urgent ones first. Notices and bulk leave a
/// quarter of the slots free (if there are at least four); together with warnings they leave an
/// eighth free (at least one of four). So they cannot occupy all slots with slow attempts while a
/// code waits (N-06). Pure.
struct ReadyMessages: Sendable {
    /// Concurrent attempts.
    private let places: Int
    /// How many of them may serve messages that the reader did not ask for.
    private let unrequestedPlaces: Int
    /// How many of them may serve notices and bulk.
    private let patientPlaces: Int
    private var waiting: [Lane: [StoredMessage]] = [:]
    private var underway = ClaimBudget.Taken()

    init(places: Int) {
        self.places = places
        unrequestedPlaces = places - (places + 4) / 8
        patientPlaces = places - places / 4
    }

    /// The number of messages that wait.
    var count: Int { waiting.values.reduce(0) { $0 + $1.count } }

    /// Appends messages to their lanes.
    mutating func add(_ messages: [StoredMessage]) {
        for message in messages { waiting[message.lane, default: []].append(message) }
    }

    /// The next message to deliver, if any. It occupies a slot until `leave`.
    mutating func next() -> StoredMessage? {
        for lane in Lane.allCases where hasPlace(lane) {
            guard waiting[lane]?.isEmpty == false, let message = waiting[lane]?.removeFirst() else {
                continue
            }
            underway.add(1, lane)
            return message
        }
        return nil
    }

    private func hasPlace(_ lane: Lane) -> Bool {
        underway.all < places
            && (lane == .requested || underway.unrequested < unrequestedPlaces)
            && (!lane.isPatient || underway.patient < patientPlaces)
    }

    /// An attempt has ended.
    mutating func leave(_ lane: Lane) { underway.add(-1, lane) }

    /// Removes all messages that wait.
    mutating func removeAll() -> [StoredMessage] {
        defer { waiting = [:] }
        return Lane.allCases.flatMap { waiting[$0] ?? [] }
    }
}
