import Contracts
import ServiceRuntime

/// The devices that accounts have signed in from (`TrustedLane`).
///
/// A mark counts for 90 days and is never evicted, so marks have a table of their own, and those of
/// devices half of it. Attack: an account that signs in repeatedly with invented device ids fills
/// the capacity that all limits need, and locks all users out.
///
///     mark of the pair    capacity   new marks of the account in 24 h   result
///     exists, older       any        any                                renewed
///     none                yes        fewer than 10                      created
///     none                yes        10                                 none: its sign-ins proceed
///     none                no         any                                none, an alarm
///
/// Marks are hashes, and those of one account cannot be found. So when an account changes hands,
/// that moment is stored, and the account's older marks no longer count.
///
/// A former secret is looked up for longer than a mark counts, and a renewal is under the current
/// one (`SubjectKeyRing`). So a rotation loses no mark of a device that is used.
struct KnownDevices: Sendable {
    /// A mark is renewed only when this much of its life has passed, not with each sign-in.
    private static let renewedAfter = Duration.seconds(86_400)

    let subjects: SubjectTable
    private let marked = CountingRule(LimitName.knownDevice.rule)
    private let made = CountingRule(LimitName.newDeviceByAccount.rule)
    private let forgotten = CountingRule(LimitName.devicesForgotten.rule)

    /// - Parameter subjects: the table of marks.
    init(subjects: SubjectTable) {
        self.subjects = subjects
    }

    /// Whether the subject has succeeded from this device. Without capacity marks share a shared
    /// bucket, which proves nothing about a device.
    func knows(_ subject: String, _ device: String, at now: Timestamp) -> Bool {
        guard !device.isEmpty else { return false }
        let verdict = subjects.apply(.peek, at: now) { [mark(subject, device, $0, now)] }
        return holds(verdict, of: subject, at: now)
    }

    /// Forgets all devices of the subject.
    /// - Returns: false if there is no capacity to store that.
    func forget(_ subject: String, at now: Timestamp) -> Bool {
        // The new marks that the account's former holder made today must not keep the owner's
        // device out.
        subjects.reset(.newDeviceByAccount, subject, made, at: now)
        return !again(.devicesForgotten, subject, forgotten, at: now).isFull
    }

    /// Whether a mark makes its device known: it exists, and was created or renewed since the
    /// subject's devices were last forgotten.
    private func holds(_ mark: LimitVerdict, of subject: String, at now: Timestamp) -> Bool {
        guard mark.isLimited, !mark.isFull, let end = mark.retryAt else { return false }
        let last = subjects.apply(.peek, at: now) {
            [subjects.request(.devicesForgotten, subject, forgotten, $0, at: now)]
        }
        guard last.isLimited, !last.isFull, let ended = last.retryAt else { return true }
        return end >= ended
    }

    /// Charges a window of one with the current time, under the current secret. Without capacity
    /// there, what is under a former one stays as it is.
    private func again(
        _ limit: LimitName, _ subject: String, _ rule: CountingRule, at now: Timestamp
    ) -> LimitVerdict {
        let place = subjects.apply(.peek, at: now) {
            [LimitRequest(key: $0.limitKey(limit, subject), rule: rule, isShadow: false)]
        }
        guard !place.isFull else { return place }
        subjects.reset(limit, subject, rule, at: now)
        return subjects.apply(.consume, at: now) {
            [subjects.request(limit, subject, rule, $0, at: now)]
        }
    }

    /// Records that the subject has succeeded from this device.
    /// - Returns: false if there is no capacity.
    func mark(_ subject: String, _ device: String, at now: Timestamp) -> Bool {
        let verdict = subjects.apply(.peek, at: now) { [mark(subject, device, $0, now)] }
        guard !verdict.isFull else { return false }
        if holds(verdict, of: subject, at: now) {
            if Self.isDue(verdict, at: now) {
                _ = again(.knownDevice, TrustedLane.pair(subject, device), marked, at: now)
            }
            return true
        }
        if verdict.isLimited {
            subjects.reset(.knownDevice, TrustedLane.pair(subject, device), marked, at: now)
        }
        return !subjects.apply(.consume, at: now) { ring in
            [
                mark(subject, device, ring, now),
                subjects.request(.newDeviceByAccount, subject, made, ring, at: now),
            ]
        }.isFull
    }

    /// Whether a mark must be set, by the result of a `peek` at it.
    private static func isDue(_ mark: LimitVerdict, at now: Timestamp) -> Bool {
        guard mark.isLimited, let end = mark.retryAt else { return true }
        return end - now <= TrustedLane.knownFor - renewedAfter
    }

    private func mark(
        _ subject: String, _ device: String, _ ring: SubjectKeyRing, _ now: Timestamp
    ) -> LimitRequest {
        subjects.request(.knownDevice, TrustedLane.pair(subject, device), marked, ring, at: now)
    }
}
