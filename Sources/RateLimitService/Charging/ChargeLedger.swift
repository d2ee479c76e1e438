import ServiceRuntime

/// Remembers for a while which charge had which moment, so that each can be taken back once.
///
/// Bounded in number and time; a charge that has left cannot be refunded any more, which errs on
/// the strict side, as does a restart.
struct ChargeLedger: Sendable {
    /// How long a charge can be taken back: longer than any call may take.
    static let life = Duration.seconds(60)
    private static let chargesMax = 100_000

    private struct Charge {
        let keys: [LimitKey]
        let moment: Timestamp
    }

    private var charges: [Int64: Charge] = [:]

    /// Notes a charge under `id`.
    mutating func note(_ id: Int64, _ keys: [LimitKey], at moment: Timestamp) {
        if charges.count >= Self.chargesMax {
            charges = charges.filter { moment - $0.value.moment < Self.life }
        }
        guard charges.count < Self.chargesMax else { return }
        charges[id] = Charge(keys: keys, moment: moment)
    }

    /// Whether the charge stands and can be taken back.
    func holds(_ id: Int64, at now: Timestamp) -> Bool {
        charges[id].map { now - $0.moment < Self.life } ?? false
    }

    /// The charge's keys and moment, once.
    mutating func take(_ id: Int64, at now: Timestamp) -> (keys: [LimitKey], moment: Timestamp)? {
        guard let charge = charges.removeValue(forKey: id), now - charge.moment < Self.life else {
            return nil
        }
        return (charge.keys, charge.moment)
    }
}
