package import NIOCore

/// The admission of connections, as pure state, since attackers will try every rule here. There are
/// three limits: connections in total, connections from one address, and connections that have not
/// sent a Hello (of the web service: a request). Above the last limit the oldest such connection is
/// closed, not the newest: connections that send nothing then displace each other, while an honest
/// caller sends its Hello within milliseconds and is never the oldest for long.
package struct ConnectionLimiter<ID: Hashable & Sendable, Peer: Sendable>: Sendable {
    /// Whether a connection is admitted.
    package enum Verdict: Sendable {
        /// It is admitted; the connection in `crowdedOut` must be closed.
        case admitted(crowdedOut: Crowded?)
        /// It is refused; `isNotified` says whether it stays open long enough to read the reason.
        case refused(CrowdReason, isNotified: Bool)
    }

    /// A connection that must be closed, and whether it stays open long enough to read the reason.
    package struct Crowded: Sendable {
        /// What `arrived` was given for it.
        package let peer: Peer
        let isNotified: Bool
    }

    struct Connection: Sendable {
        let peer: Peer
        let address: PeerAddress?
        fileprivate(set) var ungreeted: WaitingLine<ID>.Place?
    }

    /// Number of refused connections that may stay open to read the reason. Above it they are
    /// closed at once, so that a flood of them cannot use more file descriptors than this.
    static var partingMax: Int { 128 }

    private let limits: ServerLimits
    private var connections: [ID: Connection] = [:]
    private var counts: [PeerAddress: Int] = [:]
    private var ungreeted = WaitingLine<ID>()
    private var parting: Set<ID> = []

    /// No connections yet. Of `limits`, those of connections are used.
    package init(_ limits: ServerLimits) {
        self.limits = limits
    }

    /// Number of admitted connections.
    package var count: Int { connections.count }
    var isEmpty: Bool { connections.isEmpty }
    /// All admitted connections.
    var values: [Peer] { connections.values.map(\.peer) }
    /// Number of addresses in the table; addresses without a connection are removed.
    var addressCount: Int { counts.count }

    /// A connection was accepted.
    package mutating func arrived(_ id: ID, _ peer: Peer, from address: PeerAddress?) -> Verdict {
        if count >= limits.connectionsMax { return refuse(id, .total) }
        if let address, counts[address, default: 0] >= bound(address) {
            return refuse(id, .address)
        }
        let crowdedOut = ungreeted.count >= limits.ungreetedMax ? crowdOut() : nil
        if let address { counts[address, default: 0] += 1 }
        connections[id] = Connection(peer: peer, address: address, ungreeted: ungreeted.append(id))
        return .admitted(crowdedOut: crowdedOut)
    }

    private func bound(_ address: PeerAddress) -> Int {
        address.isLoopback ? limits.connectionsPerLoopbackMax : limits.connectionsPerAddressMax
    }

    private mutating func refuse(_ id: ID, _ reason: CrowdReason) -> Verdict {
        .refused(reason, isNotified: mayPart(id))
    }

    private mutating func mayPart(_ id: ID) -> Bool {
        guard parting.count < Self.partingMax else { return false }
        parting.insert(id)
        return true
    }

    /// The oldest connection without a Hello. It counts as a connection until it has closed.
    private mutating func crowdOut() -> Crowded? {
        guard let id = ungreeted.removeFirst() else { return nil }
        connections[id]?.ungreeted = nil
        return connections[id].map { Crowded(peer: $0.peer, isNotified: mayPart(id)) }
    }

    /// The connection has sent a valid Hello, or its first request.
    package mutating func greeted(_ id: ID) {
        parting.remove(id)  // it was to be closed, but its Hello came in time
        guard let place = connections[id]?.ungreeted else { return }
        _ = ungreeted.remove(place)
        connections[id]?.ungreeted = nil
    }

    /// The connection is closed.
    package mutating func left(_ id: ID) {
        greeted(id)
        guard let address = connections.removeValue(forKey: id)?.address else { return }
        let rest = counts[address, default: 0] - 1
        counts[address] = rest > 0 ? rest : nil
    }
}

/// Why a connection was refused.
package enum CrowdReason: String, CaseIterable, Sendable {
    /// Too many connections in total.
    case total
    /// Too many from its address.
    case address
    /// Too many without a Hello, and it was the oldest of them.
    case ungreeted
}

/// The address by which connections are limited: an IPv4 address, or the /64 prefix of an IPv6
/// address, since one household or server has 2⁶⁴ addresses and a limit for each would have no
/// effect. An IPv4-mapped IPv6 address (`::ffff:`) counts as IPv4.
package struct PeerAddress: Hashable, Sendable {
    private let prefix: UInt64
    private let isSix: Bool
    /// Whether it is a loopback address.
    package let isLoopback: Bool

    /// From the sixteen bytes of an IPv6 address.
    package init(six bytes: [UInt8]) {
        let isFour = bytes.starts(with: Self.mappedPrefix)
        prefix = Self.number(isFour ? bytes.suffix(4) : bytes.prefix(8))
        isSix = !isFour
        isLoopback = isFour ? bytes[12] == 127 : bytes == Self.loopback
    }

    /// From the four bytes of an IPv4 address.
    package init(four bytes: [UInt8]) {
        prefix = Self.number(bytes[...])
        isSix = false
        isLoopback = bytes.first == 127
    }

    private static let mappedPrefix = Array(repeating: 0, count: 10) + [0xff, 0xff] as [UInt8]
    private static let loopback = Array(repeating: 0, count: 15) + [1] as [UInt8]

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Nil for an address that is not IPv4 or IPv6. The address comes after family and port in
    /// `sockaddr_in`, and also after the flow label in `sockaddr_in6`.
    package init?(_ address: SocketAddress?) {
        switch address {
        case .v4(let four):
            self.init(four: withUnsafeBytes(of: four.address) { Array($0[4..<8]) })
        case .v6(let six):
            self.init(six: withUnsafeBytes(of: six.address) { Array($0[8..<24]) })
        case .unixDomainSocket, nil: return nil
        }
    }
}
