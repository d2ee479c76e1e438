import Logging
import ServiceRuntime
import Storage

/// The devices that accounts have signed in from (`TrustedLane`).
///
/// A mark lives 90 days and is never evicted, so marks have a table of their own: somebody who
/// signs in for ever with invented device ids could else fill the room that all limits need, and
/// lock everybody out.
///
///     mark of the pair    room   new marks of the account in 24 h   done
///     there, older        any    any                                renewed
///     none                yes    fewer than 10                      made
///     none                yes    10                                 none: its sign-ins go on
///     none                no     any                                none, an alarm
///
/// Marks are hashes, and those of one account cannot be found. So where an account changes hands, that
/// moment is kept, and older marks of it say nothing any more.
struct KnownDevices: Sendable {
    let subjects: SubjectTable
    private let marked = CountingRule(LimitName.knownDevice.rule)
    private let made = CountingRule(LimitName.newDeviceByAccount.rule)
    private let forgotten = CountingRule(LimitName.devicesForgotten.rule)

    /// - Throws: `JournalError`, `StoreError`.
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

    /// Whether the subject has succeeded from this device. Where there is no room, marks share a
    /// pool, which says nothing about anybody.
    func knows(_ subject: String, _ device: String, at now: Timestamp) -> Bool {
        guard !device.isEmpty else { return false }
        let verdict = subjects.decide(.peek, at: now) { [mark(subject, device, $0, now)] }
        return holds(verdict, of: subject, at: now)
    }

    /// Forgets all devices of the subject.
    /// - Returns: false where there is no room to keep that.
    func forget(_ subject: String, at now: Timestamp) -> Bool {
        // What a squatter has used of a day's new marks is not held against the owner's device.
        subjects.decide(.reset, at: now) { [request(.newDeviceByAccount, subject, made, $0, now)] }
        return !again(at: now) { request(.devicesForgotten, subject, forgotten, $0, now) }.isFull
    }

    /// Whether a mark says that its device is known: it is there, and was made or renewed since the
    /// subject's devices were last forgotten.
    private func holds(_ mark: LimitVerdict, of subject: String, at now: Timestamp) -> Bool {
        guard mark.isLimited, !mark.isFull, let end = mark.retryAt else { return false }
        let last = subjects.decide(.peek, at: now) {
            [request(.devicesForgotten, subject, forgotten, $0, now)]
        }
        guard last.isLimited, !last.isFull, let ended = last.retryAt else { return true }
        return end >= ended
    }

    /// Charges a ring of one as of now.
    private func again(
        at now: Timestamp, _ request: (SubjectKeyRing) -> LimitRequest
    ) -> LimitVerdict {
        subjects.decide(.reset, at: now) { [request($0)] }
        return subjects.decide(.consume, at: now) { [request($0)] }
    }

    /// Remembers that the subject has succeeded from this device.
    /// - Returns: false where there is no room.
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
                request(.newDeviceByAccount, subject, made, ring, now),
            ]
        }.isFull
    }

    private func mark(
        _ subject: String, _ device: String, _ ring: SubjectKeyRing, _ now: Timestamp
    ) -> LimitRequest {
        request(.knownDevice, TrustedLane.pair(subject, device), marked, ring, now)
    }

    private func request(
        _ limit: LimitName, _ subject: String, _ rule: CountingRule, _ ring: SubjectKeyRing,
        _ now: Timestamp
    ) -> LimitRequest {
        LimitRequest(
            key: subjects.key(limit, subject, rule, ring, at: now), rule: rule, isShadow: false)
    }
}

extension LimitJournalPlace {
    /// That of the devices: `ratelimit-devices.log.0` beside `ratelimit.sqlite`.
    static func devices(beside store: Store, writes: PartCondition) -> LimitJournalPlace {
        let limits = LimitJournalPlace(beside: store)
        var devices = LimitJournalPlace(folder: limits.folder, name: limits.name + "-devices")
        devices.writes = writes
        return devices
    }
}
