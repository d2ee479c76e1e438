import ServiceRuntime

/// Calls for which no connection stands yet, in the order of their coming.
struct WaitingCalls {
    /// A call, and the addresses for whose breakers it is the probe.
    struct Entry {
        let call: PendingCall
        let probed: [ClientEndpoint]
    }

    /// So many wait on one event loop: some seconds' worth of calls, a few MiB with their requests.
    static let countMax = 10_000
    /// From one look for those whose time is over to the next: no call outlives its deadline by
    /// more than twice that.
    static let lookInterval = Duration.milliseconds(20)

    private var entries: [Entry] = []

    var isEmpty: Bool { entries.isEmpty }
    var isFull: Bool { entries.count >= Self.countMax }

    mutating func append(_ entry: Entry) { entries.append(entry) }

    /// Takes all out.
    mutating func takeAll() -> [Entry] {
        defer { entries = [] }
        return entries
    }

    /// Takes one out.
    mutating func take(_ call: PendingCall) -> Entry? {
        entries.firstIndex { $0.call === call }.map { entries.remove(at: $0) }
    }

    /// Takes those out whose patience or time is over.
    mutating func takeExpired(at uptime: Duration) -> [Entry] {
        let isOver: (Entry) -> Bool = { min($0.call.connectDue, $0.call.deadline) <= uptime }
        let expired = entries.filter(isOver)
        if !expired.isEmpty { entries.removeAll(where: isOver) }
        return expired
    }
}
