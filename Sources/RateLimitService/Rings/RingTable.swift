import ServiceRuntime

/// Whom a limit is about, as the table knows it: never in clear.
struct RingKey: Hashable, Sendable {
    let limit: LimitName
    /// Keyed hash, 16 bytes.
    let subject: [UInt8]
}

/// All rings, in memory: the pure heart of the service.
struct RingTable: Sendable {
    /// What was decided on a batch.
    enum Decision: Hashable {
        case allowed(limit: LimitName, remaining: Int)
        /// The strictest limit; `isFirst` once for each subject and wait, so that a flood leaves
        /// one audit record.
        case limited(RingKey, until: Timestamp, isFirst: Bool)
        /// No room for another subject. Living entries are never evicted for new ones, or an
        /// attacker could wash his own charges out.
        case full
    }

    private var rings: [RingKey: ExactRing] = [:]
    private var notedUntil: [RingKey: Timestamp] = [:]
    private let ringsMax: Int

    init(ringsMax: Int) {
        self.ringsMax = ringsMax
    }

    var count: Int { rings.count }

    /// What a charge of every key would be answered; changes nothing.
    func peek(_ keys: [RingKey], at now: Timestamp) -> Decision {
        var strictest: (key: RingKey, until: Timestamp)?
        var scarcest: (limit: LimitName, remaining: Int)?
        for key in keys {
            switch (rings[key] ?? ExactRing()).verdict(at: now, key.limit.rule) {
            case .limited(let until):
                if until > strictest?.until ?? Timestamp(milliseconds: .min) {
                    strictest = (key, until)
                }
            case .allowed(let remaining):
                if remaining < scarcest?.remaining ?? .max { scarcest = (key.limit, remaining) }
            }
        }
        if let strictest {
            let isFirst = (notedUntil[strictest.key] ?? now) <= now
            return .limited(strictest.key, until: strictest.until, isFirst: isFirst)
        }
        guard let scarcest else { return .full }
        return .allowed(limit: scarcest.limit, remaining: scarcest.remaining)
    }

    /// Charges every key or, if one is limited, none.
    mutating func consume(_ keys: [RingKey], at now: Timestamp) -> Decision {
        let decision = peek(keys, at: now)
        switch decision {
        case .full: return .full
        case .limited(let key, let until, _):
            notedUntil[key] = until
            return decision
        case .allowed:
            let fresh = keys.filter { rings[$0] == nil }.count
            if rings.count + fresh > ringsMax { expire(at: now) }
            guard rings.count + fresh <= ringsMax else { return .full }
            for key in keys { rings[key, default: ExactRing()].charge(at: now, key.limit.rule) }
            return decision
        }
    }

    /// Takes the charges of that moment back.
    mutating func refund(_ keys: [RingKey], _ moment: Timestamp) {
        for key in keys {
            rings[key]?.refund(moment)
            notedUntil[key] = nil
        }
    }

    /// The ring of `key` as it is now.
    func ring(_ key: RingKey) -> ExactRing { rings[key] ?? ExactRing() }

    /// Takes over a ring from the store.
    mutating func restore(_ key: RingKey, _ ring: ExactRing) { rings[key] = ring }

    /// Forgets what no longer counts.
    mutating func expire(at now: Timestamp) {
        rings = rings.filter { key, ring in (ring.end(key.limit.rule) ?? now) > now }
        notedUntil = notedUntil.filter { $0.value > now }
    }
}
