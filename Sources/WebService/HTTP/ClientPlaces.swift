import RPC

/// Places that clients share, as pure state, since attackers will try every rule here: how many
/// there are in all, for one address and for one site, and which holder ends when they are full.
///
/// A holder works, or waits for its own client: its body has not arrived, its window is closed, its
/// connection has no request. Only one that waits can end for a new one:
///
///     full is      the one that ends
///     an address   that of the address which has waited longest
///     a site       that of its address with most of them which has waited longest
///     the whole    that of the site with most of them, chosen in the same way
///
/// If none waits there, the new one is refused. So who fills the places loses them, and neither
/// many addresses nor many /64 of one customer take those of others: a client that holds fewer than
/// the attacker at each of his addresses keeps its own.
struct ClientPlaces<Value> {
    /// A place that was taken. It is never valid again once it was left.
    struct ID: Hashable, Sendable {
        fileprivate let number: UInt64
    }

    /// Whether a place was free, or became so.
    enum Verdict {
        /// The place, and whose place it was; that one must end, and has left already.
        case admitted(ID, ending: Value?)
        /// None of those that hold the places can end.
        case refused(Full)
    }

    /// What is full.
    enum Full: Hashable, Sendable {
        case total
        case site
        case address
    }

    fileprivate struct Place {
        let value: Value
        let client: ClientNetwork?
        /// Since when it waits; nil while it works.
        var since: Duration?
    }

    private let bounds: PlaceBounds
    /// Whether one ends only for a site that has fewer, also afterwards. For what lives long: if
    /// all have one, they would end each other's in turns.
    private let endsOnlyForFewer: Bool
    private var lastNumber: UInt64 = 0
    private var places: [ID: Place] = [:]
    /// Places of each address, and of each site that is not an address.
    private var held: [ClientNetwork: Int] = [:]
    private var waiting = WaitingSites()

    init(_ bounds: PlaceBounds, endsOnlyForFewer: Bool = false) {
        self.bounds = bounds
        self.endsOnlyForFewer = endsOnlyForFewer
    }

    /// Places that are taken.
    var count: Int { places.count }
    /// Of them, those that can end for others.
    var waitingCount: Int { waiting.count }
    /// Networks that are counted; one without a place takes no memory.
    var networkCount: Int { held.count + waiting.siteCount }

    /// Takes a place, for one that works.
    /// - Parameter client: whom it counts for; nil counts in all only, and nil is one site.
    mutating func arrive(_ value: Value, from client: ClientNetwork?) -> Verdict {
        var ending: Value?
        if let full = full(for: client) {
            guard let id = idToEnd(full, for: client) else { return .refused(full) }
            ending = places[id]?.value
            leave(id)
        }
        lastNumber += 1
        let id = ID(number: lastNumber)
        places[id] = Place(value: value, client: client)
        count(client, +1)
        return .admitted(id, ending: ending)
    }

    /// The holder waits for its client.
    /// - Parameter since: when the client could first have acted. One that sends a byte now and
    ///   then waits since the same moment.
    mutating func waits(_ id: ID, since: Duration) {
        guard let place = places[id], place.since == nil else { return }
        places[id]?.since = since
        waiting.add(id, of: place.client?.site)
    }

    /// The holder works again.
    mutating func works(_ id: ID) {
        guard let place = places[id], place.since != nil else { return }
        places[id]?.since = nil
        waiting.remove(id, of: place.client?.site)
    }

    /// Leaves a place. One that was ended has left already.
    mutating func leave(_ id: ID) {
        works(id)
        guard let place = places.removeValue(forKey: id) else { return }
        count(place.client, -1)
    }

    private mutating func count(_ client: ClientNetwork?, _ difference: Int) {
        guard let client else { return }
        func add(_ network: ClientNetwork) {
            let rest = held[network, default: 0] + difference
            held[network] = rest > 0 ? rest : nil
        }
        add(client)
        if client.site != client { add(client.site) }
    }

    // MARK: Who ends

    /// What is full for one more. The narrowest comes first: who ends there makes room in the
    /// wider ones too.
    private func full(for client: ClientNetwork?) -> Full? {
        if let client {
            if held[client, default: 0] >= bounds.perAddress { return .address }
            let site = client.site
            if site != client, held[site, default: 0] >= bounds.perSite { return .site }
        }
        return places.count >= bounds.total ? .total : nil
    }

    private func idToEnd(_ full: Full, for client: ClientNetwork?) -> ID? {
        switch full {
        case .address where !endsOnlyForFewer:
            return longestWaiting(waiting.ids(of: client?.site).filter { isOf(client, $0) })
        case .site where !endsOnlyForFewer:
            return longestWaitingOfLargest(waiting.ids(of: client?.site))
        case .address, .site: return nil
        case .total:
            guard let largest = waiting.largest else { return nil }
            if endsOnlyForFewer {
                let own = client.map { held[$0.site, default: 0] } ?? waiting.ids(of: nil).count
                guard waiting.ids(of: largest.site).count >= own + 2 else { return nil }
            }
            return longestWaitingOfLargest(waiting.ids(of: largest.site))
        }
    }

    private func isOf(_ client: ClientNetwork?, _ id: ID) -> Bool { places[id]?.client == client }

    /// Of the address that has most of `ids`, which are of one site.
    private func longestWaitingOfLargest(_ ids: Set<ID>) -> ID? {
        var counts: [ClientNetwork?: Int] = [:]
        for id in ids { counts[places[id]?.client, default: 0] += 1 }
        guard counts.count > 1, let most = counts.values.max() else { return longestWaiting(ids) }
        return longestWaiting(ids.filter { counts[places[$0]?.client] == most })
    }

    private func longestWaiting(_ ids: some Sequence<ID>) -> ID? {
        ids.min { first, second in
            let (one, other) = (places[first]?.since ?? .zero, places[second]?.since ?? .zero)
            return one == other ? first.number < second.number : one < other
        }
    }

    /// Who waits, by site, and which site has most. Each operation takes constant time, so that a
    /// crowd of addresses does not make each new one costly.
    private struct WaitingSites {
        private struct Site {
            var ids: Set<ID> = []
            var place: WaitingLine<ClientNetwork?>.Place?
        }

        private var sites: [ClientNetwork?: Site] = [:]
        /// The sites that have so many, in the order in which they reached that number.
        private var lines: [Int: WaitingLine<ClientNetwork?>] = [:]
        private var most = 0
        private(set) var count = 0

        var siteCount: Int { sites.count }

        /// The site with most; of several, the one that has had as many for longest.
        var largest: (site: ClientNetwork?, count: Int)? {
            lines[most]?.first.map { ($0, most) }
        }

        func ids(of site: ClientNetwork?) -> Set<ID> { sites[site]?.ids ?? [] }

        mutating func add(_ id: ID, of site: ClientNetwork?) {
            change(site) { $0.insert(id) }
            count += 1
        }

        mutating func remove(_ id: ID, of site: ClientNetwork?) {
            change(site) { $0.remove(id) }
            count -= 1
        }

        private mutating func change(_ key: ClientNetwork?, _ body: (inout Set<ID>) -> Void) {
            var site = sites.removeValue(forKey: key) ?? Site()
            if let place = site.place {
                let size = site.ids.count
                _ = lines[size]?.remove(place)
                if lines[size]?.isEmpty == true { lines[size] = nil }
            }
            body(&site.ids)
            let size = site.ids.count
            if size > 0 {
                site.place = lines[size, default: WaitingLine()].append(key)
                sites[key] = site
            }
            most = max(most, size)
            // It falls by one for each that has left, so this takes constant time on average.
            while most > 0, lines[most] == nil { most -= 1 }
        }
    }
}

/// How many places there are that clients share.
struct PlaceBounds: Hashable, Sendable {
    /// In all.
    var total: Int
    /// Of them, for one IPv4 address or one IPv6 /64.
    var perAddress = Int.max
    /// Of them, for one IPv6 /48.
    var perSite = Int.max

    /// A share: of each bound the same part, and one at least.
    func share(_ dividend: Int, of divisor: Int) -> PlaceBounds {
        func part(_ bound: Int) -> Int {
            bound == .max ? bound : max(1, bound * dividend / max(1, divisor))
        }
        return PlaceBounds(
            total: part(total), perAddress: part(perAddress), perSite: part(perSite))
    }
}

extension ClientPlaces: Sendable where Value: Sendable {}
extension ClientPlaces.Place: Sendable where Value: Sendable {}
