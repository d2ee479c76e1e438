import ServiceRuntime

/// When signing keys are generated, activated and retired (S-01). Pure:
///
///     state       ends when                                             next
///     announced   there is no active key; or the active one's life      active
///                 is over and this one was published long enough
///     active      another becomes active                                passive
///     passive     its last token has expired, including the leeway      retired
///     any         it is revoked                                         retired, at once
///     retired                                                           final
///
///     keys                                            step
///     no active key and none announced                one is generated that signs at once
///     an active key near the end of its life,         one is announced
///     and none announced
///
/// A rotation signs no user out: every verifier knows a key before it signs, and a key verifies for
/// as long as any of its tokens is valid.
struct SigningKeySchedule: Hashable, Sendable {
    /// How long a key is published before it signs: twice the five minutes after which verifiers
    /// without the feed fetch the JWKS again.
    static let announcedFor: Duration = .seconds(600)

    /// Maximum published keys. It keeps the JWKS, which every verifier fetches, below 16 KiB.
    /// Without a bound, about 640 rotations produced one that clients reject.
    static let keysMax = 64

    /// A step that is due.
    enum Step: Hashable, Sendable {
        /// Generate and publish a key.
        case announce
        /// Generate a key that signs at once: the first one, or after a revocation.
        case start
        /// Sign with the announced key `id`; the active one becomes passive.
        case activate(Int64)
        /// Stop verifying with the key `id`.
        case retire(Int64)
    }

    /// How long a key signs.
    let life: Duration
    /// How long after its last signature a key must verify: the longest life of a token plus the
    /// leeway of verifiers.
    let verifiesFor: Duration

    /// How long until the operator may rotate; nil for at once. At `keysMax` a rotation waits for
    /// the first passive key to be retired.
    func rotationWait(_ keys: [StoredSigningKey], at now: Timestamp) -> Duration? {
        guard keys.count >= Self.keysMax else { return nil }
        let first = keys.filter { $0.phase == .passive }.map(retirement).min()
        return max(.zero, (first ?? now) - now) + SigningKeyRotation.lookEvery
    }

    /// The next step that is due at `now`; nil when there is none.
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

    /// When a passive key's last token has expired for all verifiers.
    private func retirement(of key: StoredSigningKey) -> Timestamp {
        (key.passiveAt ?? key.activeAt ?? key.madeAt) + verifiesFor
    }
}
