import Contracts
import ServiceRuntime

/// Which limit an attempt is charged to. A device that the subject has succeeded from before has a
/// limit of its own (its lane), so that a stranger who fills the subject's limit does not lock its
/// owner out.
///
///     limit                       lane of a known device
///     failed-sign-in-by-account   failed-sign-in-by-known-device     of the email and the device
///     failed-provider-by-account  failed-provider-by-known-device    of the account and the device
///     phone-code-guess            phone-code-guess-by-known-device   of the number and the device
///     totp-guess                  totp-guess-by-known-device         of account, first proof, device
///     all others                  none
///
///     device named   known by the subject   charged to
///     no             –                      the limit
///     yes            no                     the limit
///     yes            yes                    the lane
///
/// A success resets only the limit that it was charged to: the owner's success on one device proves
/// nothing about guesses from other devices. Two limits count all attempts of strangers:
///
///     in a row, from unknown devices    then, from unknown devices         reset by
///     100 wrong passwords               no password is verified            a success from a known
///                                                                          device, a reset by mail
///     100 wrong codes to a number       only the first guess at each new   the right code at the
///                                       code is compared                   first guess
///
/// A stranger who makes that many failures has already kept the owner's new devices out for as
/// long, by five in 15 minutes. So the stranger gains nothing, and can make no further guesses.
///
/// `phone-code-request` has no lane: its messages cost money and reach one person, ten a day,
/// whatever device requests them. A stranger can use them up. The owner then signs in with a
/// provider, with a password, or on the next day.
///
/// A device's id is chosen by the caller. The attacks:
/// - *A new id for each guess*: none of them is known, so all are charged to the account's limit.
/// - *The owner's id, stolen*: five more guesses in 15 minutes, and they are counted against that
///   device only. They can fill only its own lane.
/// - *An id that the attacker's own account knows*: the mark is of the pair of account and device.
/// - *A device becomes known without a password*: the mark is set by a success, which only the
///   gateway reports.
/// - *Guesses are abandoned so that nothing is known of them*: they count until the identity
///   service says that no wrong password was compared (`UnsettledGuesses`).
/// The limits on an address are charged in every case; no device id avoids them.
enum TrustedLane {
    /// How long a device stays known after the last success from it.
    ///
    /// This is the maximum age of a session: a refresh does not renew the mark, because that would
    /// cost it another call.
    static let knownFor = LimitRule.markMax

    /// The limit of sign-ins from devices that the account does not know. Failures charged to it
    /// are a sign of credential stuffing (`CredentialStuffingDetector`).
    static let unknownDeviceSignIns = LimitName.failedSignInByAccount
    /// The one subject of all attempts under `sign-in-without-history`.
    static let sharedSubject = "everybody"

    /// The lane of `limit` for known devices; nil if it has none.
    static func lane(of limit: LimitName) -> LimitName? {
        switch limit {
        case .failedSignInByAccount: .failedSignInByKnownDevice
        case .failedProviderByAccount: .failedProviderByKnownDevice
        case .phoneCodeGuess: .phoneCodeGuessByKnownDevice
        case .totpGuess: .totpGuessByKnownDevice
        default: nil
        }
    }

    /// The owner of a device mark. A phone number's devices must not be those of an email with the
    /// same text. A device that gave a code of an authenticator app is known after every first proof:
    /// the subject of `totp-guess` begins with the account.
    static func owner(_ limit: LimitName, _ subject: String) -> String {
        if limit == unknownDeviceSignIns { return subject }
        let owner = limit == .totpGuess ? subject.prefix { $0 != "|" } : subject[...]
        return "\(limit.rawValue)|\(owner)"
    }

    /// The subject of a pair. It starts with the length, because otherwise "a" with "b|c" would
    /// equal "a|b" with "c".
    static func pair(_ subject: String, _ device: String) -> String {
        "\(subject.utf8.count)|\(subject)|\(device)"
    }
}

extension LimitsHandler {
    /// The limit and subject that a charge goes to.
    func lane(of charge: RequestedCharge, at now: Timestamp) -> (limit: LimitName, subject: String)
    {
        guard let lane = TrustedLane.lane(of: charge.limit) else {
            let isAtSharedSite =
                charge.limit == .signUpByAddress && sites.isShared(charge.subject, at: now)
            return (isAtSharedSite ? .signUpBySharedSite : charge.limit, charge.subject)
        }
        if devices.knows(
            TrustedLane.owner(charge.limit, charge.subject), charge.device, at: now)
        {
            return (lane, TrustedLane.pair(charge.subject, charge.device))
        }
        if charge.limit == .phoneCodeGuess, !charge.target.isEmpty,
            isLockedUntilReset(charge, at: now)
        {
            return (.phoneCodeFirstGuess, TrustedLane.pair(charge.subject, charge.target))
        }
        return (charge.limit, charge.subject)
    }

    /// Whether the limit is locked until a reset.
    private func isLockedUntilReset(_ charge: RequestedCharge, at now: Timestamp) -> Bool {
        let policies = policies.value
        guard !policies[charge.limit].isShadow else { return false }
        let rule = policies.rule(charge.limit)
        let verdict = subjects.apply(.peek, at: now) { ring in
            [subjects.request(charge.limit, charge.subject, rule, ring, at: now)]
        }
        return verdict.isLimited && verdict.retryAt == nil && !verdict.isFull
    }
}
