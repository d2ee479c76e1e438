import ServiceRuntime

/// When signing keys are made, sign, and go (S-01). Pure:
///
///     key         goes on when                                          to
///     announced   there is no active one; or the active one's life      active
///                 is over and it has been published long enough
///     active      another becomes active                                passive
///     passive     its last token has expired, leeway included           retired
///     any         it is revoked                                         retired, at once
///     retired                                                           stays
///
///     there is                                        then
///     no active key and none announced                one is made that signs at once
///     an active key near the end of its life,         one is announced
///     and none announced
///
/// Nobody is signed out by any of it: a key is known everywhere before it signs, and verifies for
/// as long as anything that it has signed is good.
struct SigningKeySchedule: Hashable, Sendable {
    /// How long a key is published before it signs: twice the five minutes after which verifiers
    /// that follow nothing fetch the key set again.
    static let announcedFor: Duration = .seconds(600)

    /// Keys that are published at a time. The key set stays below 16 KiB, which every verifier fetches;
    /// without a bound some 640 rotations made one that clients refuse.
    static let keysMax = 64

    /// What is due.
    enum Step: Hashable, Sendable {
        /// A key is made and published.
        case announce
        /// A key is made that signs at once: the first one, or after a revocation.
        case start
        /// The announced key `id` signs from now on; the one that did is passive.
        case activate(Int64)
        /// Nothing of the key `id` verifies any more.
        case retire(Int64)
    }

    /// How long a key signs.
    let life: Duration
    /// How long after it has signed its last token a key must verify: the longest life of a token,
    /// and the leeway of verifiers.
    let verifiesFor: Duration

    /// How long until another key may be made by the operator's word; nil for at once. At
    /// `keysMax` it waits for the first passive key to be retired.
    func rotationWait(_ keys: [StoredSigningKey], at now: Timestamp) -> Duration? {
        guard keys.count >= Self.keysMax else { return nil }
        let first = keys.filter { $0.phase == .passive }.map(retirement).min()
        return max(.zero, (first ?? now) - now) + SigningKeyRotation.lookEvery
    }

    /// The next thing that is due of `keys` at `now`; nil when all is well.
    func step(_ keys: [StoredSigningKey], at now: Timestamp) -> Step? {
        let announced = keys.first { $0.phase == .announced }
        guard let active = keys.first(where: { $0.phase == .active }) else {
            return announced.map { .activate($0.id) } ?? .start
        }
        let end = (active.activeAt ?? active.madeAt) + life
        if let announced {
            if now >= end, now >= announced.madeAt + Self.announcedFor {
                return .activate(announced.id)
            }
        } else if now >= end - Self.announcedFor {
            return .announce
        }
        let spent = keys.first { $0.phase == .passive && now >= retirement(of: $0) }
        return spent.map { .retire($0.id) }
    }

    /// When a passive key's last token has expired everywhere.
    private func retirement(of key: StoredSigningKey) -> Timestamp {
        (key.passiveAt ?? key.activeAt ?? key.madeAt) + verifiesFor
    }
}
