/// Who is connected, and whether one more may be: as pure state, since every rule here is one that
/// an attacker will try. Three bounds: connections in all; those from one address; and those that
/// have not said Hello. Above the last the oldest such goes, not the newest: strangers who connect
/// and say nothing then push out each other, and an honest caller, who says Hello within
/// milliseconds, is never the oldest for long.
struct ConnectionLimiter<ID: Hashable, Peer> {
    enum Verdict {
        /// It may stay; whoever is named must go.
        case admitted(crowdedOut: Crowded?)
        /// It may not; whether it may stay long enough to read why.
        case refused(CrowdReason, isTold: Bool)
    }

    /// Who must go, and whether it may stay long enough to read why.
    struct Crowded {
        let peer: Peer
        let isTold: Bool
    }

    struct Guest {
        let peer: Peer
        let address: PeerAddress?
        fileprivate(set) var ungreeted: WaitingLine<ID>.Place?
    }

    /// Refused connections that may read why at once; above it they are cut, so that a storm of
    /// them holds no more than so many descriptors.
    static var partingMax: Int { 128 }

    private let limits: ServerLimits
    private var guests: [ID: Guest] = [:]
    private var counts: [PeerAddress: Int] = [:]
    private var ungreeted = WaitingLine<ID>()
    private var parting: Set<ID> = []

    init(_ limits: ServerLimits) {
        self.limits = limits
    }

    var count: Int { guests.count }
    var isEmpty: Bool { guests.isEmpty }
    /// All who may stay.
    var values: [Peer] { guests.values.map(\.peer) }
    /// Addresses that are counted; none without a connection.
    var addressCount: Int { counts.count }

    /// A connection was accepted.
    mutating func arrived(_ id: ID, _ peer: Peer, from address: PeerAddress?) -> Verdict {
        if count >= limits.connectionsMax { return refuse(id, .total) }
        if let address, counts[address, default: 0] >= bound(address) {
            return refuse(id, .address)
        }
        let crowdedOut = ungreeted.count >= limits.ungreetedMax ? crowdOut() : nil
        if let address { counts[address, default: 0] += 1 }
        guests[id] = Guest(peer: peer, address: address, ungreeted: ungreeted.append(id))
        return .admitted(crowdedOut: crowdedOut)
    }

    private func bound(_ address: PeerAddress) -> Int {
        address.isLoopback ? limits.connectionsPerLoopbackMax : limits.connectionsPerAddressMax
    }

    private mutating func refuse(_ id: ID, _ reason: CrowdReason) -> Verdict {
        .refused(reason, isTold: mayPart(id))
    }

    private mutating func mayPart(_ id: ID) -> Bool {
        guard parting.count < Self.partingMax else { return false }
        parting.insert(id)
        return true
    }

    /// The oldest that has not said Hello; it counts as a connection until it has left.
    private mutating func crowdOut() -> Crowded? {
        guard let id = ungreeted.removeFirst() else { return nil }
        guests[id]?.ungreeted = nil
        return guests[id].map { Crowded(peer: $0.peer, isTold: mayPart(id)) }
    }

    /// The connection has said who it is.
    mutating func greeted(_ id: ID) {
        parting.remove(id)  // it was to go, and spoke in time
        guard let place = guests[id]?.ungreeted else { return }
        _ = ungreeted.remove(place)
        guests[id]?.ungreeted = nil
    }

    /// The connection is closed.
    mutating func left(_ id: ID) {
        greeted(id)
        guard let address = guests.removeValue(forKey: id)?.address else { return }
        let rest = counts[address, default: 0] - 1
        counts[address] = rest > 0 ? rest : nil
    }
}

extension ConnectionLimiter: Sendable where ID: Sendable, Peer: Sendable {}
extension ConnectionLimiter.Crowded: Sendable where ID: Sendable, Peer: Sendable {}
extension ConnectionLimiter.Verdict: Sendable where ID: Sendable, Peer: Sendable {}
extension ConnectionLimiter.Guest: Sendable where ID: Sendable, Peer: Sendable {}

/// Why there was no room for a connection.
enum CrowdReason: String, CaseIterable, Sendable {
    /// Too many connections in all.
    case total
    /// Too many from its address.
    case address
    /// Too many that had not said Hello, and it was the oldest of them.
    case ungreeted
}
