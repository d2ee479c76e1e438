import Contracts
import ServiceRuntime

/// Finds what a charge under a former secret was about. Charges are remembered by their keys only,
/// but a caller that refunds one names what was charged.
struct TransferredKeys {
    private let ring: SubjectKeyRing
    private let asked: [AskedCharge]

    init(_ ring: SubjectKeyRing, _ asked: [AskedCharge]) {
        self.ring = ring
        self.asked = asked
    }

    /// The limit and subject that were charged under `key`; nil if the caller did not name them.
    func subject(of key: LimitKey) -> (LimitName, String)? {
        let secrets = [ring.current] + ring.formers
        return candidates.first { limit, subject in
            limit.number == key.limit
                && secrets.contains { $0.limitKey(limit, subject) == key }
        }
    }

    private var candidates: [(LimitName, String)] {
        var candidates = [(LimitName.signInWithoutHistory, TrustedLane.everybody)]
        for charge in asked {
            candidates.append((charge.limit, charge.subject))
            if charge.limit == TrustedLane.ofStrangers {
                candidates.append((.failedSignInInARow, charge.subject))
            }
            guard let lane = TrustedLane.lane(of: charge.limit) else { continue }
            candidates.append((lane, TrustedLane.pair(charge.subject, charge.device)))
        }
        return candidates
    }
}
