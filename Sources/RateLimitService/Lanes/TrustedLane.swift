import Contracts
import Logging
import ServiceRuntime

/// Which limit an attempt is charged to. A device that the subject has succeeded from before has a
/// limit of its own (its lane), so that a stranger who fills the subject's limit does not lock its
/// owner out.
///
///     limit                       lane of a known device
///     failed-sign-in-by-account   failed-sign-in-by-known-device     of the email and the device
///     failed-provider-by-account  failed-provider-by-known-device    of the account and the device
///     phone-code-guess            phone-code-guess-by-known-device   of the number and the device
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
/// The limits on an address are charged in every case; no device id avoids them.
enum TrustedLane {
    /// How long a device stays known after the last success from it.
    ///
    /// This is the maximum age of a session: a refresh does not renew the mark, because that would
    /// cost it another call.
    static let knownFor = LimitRule.markMax
    /// A mark is renewed only when this much of its life has passed, not with each sign-in.
    private static let renewedAfter = Duration.seconds(86_400)

    /// The limit of sign-ins from devices that the account does not know. Failures charged to it
    /// are a sign of credential stuffing (`CredentialStuffingDetector`).
    static let unknownDeviceSignIns = LimitName.failedSignInByAccount
    /// The one subject of all attempts under `sign-in-without-history`.
    static let sharedSubject = "everybody"

    /// Whether a limit refuses because of the alarm.
    static func isAlarmLimit(_ limit: LimitName) -> Bool {
        limit == .signInWithoutHistory || limit == .signInWithoutHistoryBySite
    }

    /// The lane of `limit` for known devices; nil if it has none.
    static func lane(of limit: LimitName) -> LimitName? {
        switch limit {
        case .failedSignInByAccount: .failedSignInByKnownDevice
        case .failedProviderByAccount: .failedProviderByKnownDevice
        case .phoneCodeGuess: .phoneCodeGuessByKnownDevice
        default: nil
        }
    }

    /// The owner of a device mark. A phone number's devices must not be those of an email with the
    /// same text.
    static func owner(_ limit: LimitName, _ subject: String) -> String {
        limit == unknownDeviceSignIns ? subject : "\(limit.rawValue)|\(subject)"
    }

    /// The subject of a pair. It starts with the length, because otherwise "a" with "b|c" would
    /// equal "a|b" with "c".
    static func pair(_ subject: String, _ device: String) -> String {
        "\(subject.utf8.count)|\(subject)|\(device)"
    }

    /// Whether a mark must be set, by the result of a `peek` at it.
    fileprivate static func isDue(_ mark: LimitVerdict, at now: Timestamp) -> Bool {
        guard mark.isLimited, let end = mark.retryAt else { return true }
        return end - now <= knownFor - renewedAfter
    }
}

extension LimitsHandler {
    /// The limit and subject that a charge goes to.
    func lane(of charge: RequestedCharge, at now: Timestamp) -> (limit: LimitName, subject: String)
    {
        guard let lane = TrustedLane.lane(of: charge.limit) else {
            return (charge.limit, charge.subject)
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
        let (rule, isShadow) = policies.policy(charge.limit)
        guard !isShadow else { return false }
        let verdict = subjects.decide(.peek, at: now) { ring in
            [subjects.request(charge.limit, charge.subject, rule, ring, at: now)]
        }
        return verdict.isLimited && verdict.retryAt == nil && !verdict.isFull
    }
}

/// The devices that accounts have signed in from (`TrustedLane`).
///
/// A mark counts for 90 days and is never evicted, so marks have a table of their own. Attack: an
/// account that signs in repeatedly with invented device ids fills the capacity that all limits
/// need, and locks all users out.
///
///     mark of the pair    capacity   new marks of the account in 24 h   result
///     exists, older       any        any                                renewed
///     none                yes        fewer than 10                      created
///     none                yes        10                                 none: its sign-ins proceed
///     none                no         any                                none, an alarm
///
/// Marks are hashes, and those of one account cannot be found. So when an account changes hands,
/// that moment is stored, and the account's older marks no longer count.
struct KnownDevices: Sendable {
    let subjects: SubjectTable
    private let marked = CountingRule(LimitName.knownDevice.rule)
    private let made = CountingRule(LimitName.newDeviceByAccount.rule)
    private let forgotten = CountingRule(LimitName.devicesForgotten.rule)

    /// - Throws: `JournalError`, `StoreError`, `SQLError`.
    init(
        statesMax: Int, journal: LimitJournalPlace, keys: SubjectKeys, at now: Timestamp,
        logger: Logger
    ) throws {
        let table = try LimitTable(
            statesMax: statesMax, journal: journal, at: now, logger: logger
        ) {
            LimitName(number: $0).map { CountingRule($0.rule) }
        }
        subjects = SubjectTable(table, keys)
    }

    /// Whether the subject has succeeded from this device. Without capacity marks share a shared
    /// bucket, which proves nothing about a device.
    func knows(_ subject: String, _ device: String, at now: Timestamp) -> Bool {
        guard !device.isEmpty else { return false }
        let verdict = subjects.decide(.peek, at: now) { [mark(subject, device, $0, now)] }
        return holds(verdict, of: subject, at: now)
    }

    /// Forgets all devices of the subject.
    /// - Returns: false if there is no capacity to store that.
    func forget(_ subject: String, at now: Timestamp) -> Bool {
        // The new marks that the account's former holder made today must not keep the owner's
        // device out.
        subjects.decide(.reset, at: now) {
            [subjects.request(.newDeviceByAccount, subject, made, $0, at: now)]
        }
        return !again(at: now) {
            subjects.request(.devicesForgotten, subject, forgotten, $0, at: now)
        }.isFull
    }

    /// Whether a mark makes its device known: it exists, and was created or renewed since the
    /// subject's devices were last forgotten.
    private func holds(_ mark: LimitVerdict, of subject: String, at now: Timestamp) -> Bool {
        guard mark.isLimited, !mark.isFull, let end = mark.retryAt else { return false }
        let last = subjects.decide(.peek, at: now) {
            [subjects.request(.devicesForgotten, subject, forgotten, $0, at: now)]
        }
        guard last.isLimited, !last.isFull, let ended = last.retryAt else { return true }
        return end >= ended
    }

    /// Charges a window of one with the current time.
    private func again(
        at now: Timestamp, _ request: (SubjectKeyRing) -> LimitRequest
    ) -> LimitVerdict {
        subjects.decide(.reset, at: now) { [request($0)] }
        return subjects.decide(.consume, at: now) { [request($0)] }
    }

    /// Records that the subject has succeeded from this device.
    /// - Returns: false if there is no capacity.
    func mark(_ subject: String, _ device: String, at now: Timestamp) -> Bool {
        let verdict = subjects.decide(.peek, at: now) { [mark(subject, device, $0, now)] }
        guard !verdict.isFull else { return false }
        if holds(verdict, of: subject, at: now) {
            if TrustedLane.isDue(verdict, at: now) {
                _ = again(at: now) { mark(subject, device, $0, now) }
            }
            return true
        }
        if verdict.isLimited {
            subjects.decide(.reset, at: now) { [mark(subject, device, $0, now)] }
        }
        return !subjects.decide(.consume, at: now) { ring in
            [
                mark(subject, device, ring, now),
                subjects.request(.newDeviceByAccount, subject, made, ring, at: now),
            ]
        }.isFull
    }

    private func mark(
        _ subject: String, _ device: String, _ ring: SubjectKeyRing, _ now: Timestamp
    ) -> LimitRequest {
        subjects.request(.knownDevice, TrustedLane.pair(subject, device), marked, ring, at: now)
    }
}
