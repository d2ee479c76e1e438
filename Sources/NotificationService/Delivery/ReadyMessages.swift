/// Messages that are claimed and wait for a free place among the tries, the urgent ones first.
/// Notices and bulk leave a quarter of the places free (when there are at least four), so that
/// they cannot fill all with tries that a slow server draws out while a code waits (N-06). Pure.
struct ReadyMessages: Sendable {
    /// Tries at once.
    private let places: Int
    /// Of these, for notices and bulk.
    private let patientPlaces: Int
    private var waiting: [Lane: [StoredMessage]] = [:]
    private var underway = 0
    private var patientUnderway = 0

    init(places: Int) {
        self.places = places
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
        guard underway < places else { return nil }
        for lane in Lane.allCases where lane == .security || patientUnderway < patientPlaces {
            guard waiting[lane]?.isEmpty == false, let message = waiting[lane]?.removeFirst() else {
                continue
            }
            underway += 1
            if lane != .security { patientUnderway += 1 }
            return message
        }
        return nil
    }

    /// A try has ended.
    mutating func leave(_ lane: Lane) {
        underway -= 1
        if lane != .security { patientUnderway -= 1 }
    }

    /// Takes out all that wait.
    mutating func removeAll() -> [StoredMessage] {
        defer { waiting = [:] }
        return Lane.allCases.flatMap { waiting[$0] ?? [] }
    }
}
