import ServiceRuntime

extension RouteReadiness {
    /// The readiness of a route over these providers: the sum of theirs.
    static func any(of gates: [ProviderGuard]) -> RouteReadiness {
        var room = 0
        var opensAt: Timestamp?
        for gate in gates {
            switch gate.readiness {
            case .ready(let more):
                room = room.addingReportingOverflow(more).overflow ? .max : room + more
            case .closed(let until): opensAt = min(opensAt ?? until, until)
            }
        }
        if room == 0, let opensAt { return .closed(until: opensAt) }
        return .ready(room)
    }
}
