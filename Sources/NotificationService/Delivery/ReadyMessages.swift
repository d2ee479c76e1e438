/// Messages that are claimed and wait for a free place among the tries, the urgent ones first.
/// Notices and bulk leave a quarter of the places free (when there are at least four), and with
/// warnings an eighth (at least one of four), so that they cannot fill all with tries that a slow
/// server draws out while a code waits (N-06). Pure.
struct ReadyMessages: Sendable {
    /// Tries at once.
    private let places: Int
    /// Of these, for all but what the reader asked for.
    private let unrequestedPlaces: Int
    /// Of these, for notices and bulk.
    private let patientPlaces: Int
    private var waiting: [Lane: [StoredMessage]] = [:]
    private var underway = ClaimBudget.Taken()

    init(places: Int) {
        self.places = places
        unrequestedPlaces = places - (places + 4) / 8
        patientPlaces = places - places / 4
    }

    /// Messages that wait.
    var count: Int { waiting.values.reduce(0) { $0 + $1.count } }

    /// Adds messages behind those of their lanes.
    mutating func add(_ messages: [StoredMessage]) {
        for message in messages { waiting[message.lane, default: []].append(message) }
    }

    /// The next message whose try may begin, if there is one; it has a place until `leave`.
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

    /// A try has ended.
    mutating func leave(_ lane: Lane) { underway.add(-1, lane) }

    /// Takes out all that wait.
    mutating func removeAll() -> [StoredMessage] {
        defer { waiting = [:] }
        return Lane.allCases.flatMap { waiting[$0] ?? [] }
    }
}
