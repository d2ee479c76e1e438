import ServiceRuntime

/// The admission gates of a server, one for each lane.
struct Admission: Sendable {
    private let ordinary: LaneGate
    private let costly: LaneGate
    private let watching: LaneGate
    private let admin: LaneGate

    init(_ limits: ServerLimits, time: any Time) {
        ordinary = LaneGate(.ordinary, limits, time: time)
        costly = LaneGate(.costly, limits, time: time)
        watching = LaneGate(.watching, limits, time: time)
        admin = LaneGate(.admin, limits, time: time)
    }

    subscript(lane: MethodLane) -> LaneGate {
        switch lane {
        case .ordinary: ordinary
        case .costly: costly
        case .watching: watching
        case .admin: admin
        }
    }

    /// Handlers that have not returned, in all lanes.
    var runningCount: Int { MethodLane.allCases.reduce(0) { $0 + self[$1].runningCount } }

    /// Waiting calls, in all lanes.
    var waitingCount: Int { MethodLane.allCases.reduce(0) { $0 + self[$1].waitingCount } }
}
