import Logging
import ServiceRuntime
import Storage

/// The devices that accounts have signed in from (`TrustedLane`).
///
/// A mark lives 40 days and is never evicted, so marks have a table of their own: somebody who
/// signs in for ever with invented device ids could else fill the room that all limits need, and
/// lock everybody out.
///
///     mark of the pair    room   new marks of the account in 24 h   done
///     there, older        any    any                                renewed
///     none                yes    fewer than 10                      made
///     none                yes    10                                 none: its sign-ins go on
///     none                no     any                                none, an alarm
struct KnownDevices: Sendable {
    let table: LimitTable
    private let subjects: SubjectHash
    private let marked = CountingRule(LimitName.knownDevice.rule)
    private let made = CountingRule(LimitName.newDeviceByAccount.rule)

    /// - Throws: `JournalError`, `StoreError`.
    init(
        statesMax: Int, journal: LimitJournalPlace, subjects: SubjectHash, at now: Timestamp,
        logger: Logger
    ) throws {
        self.subjects = subjects
        table = try LimitTable(statesMax: statesMax, journal: journal, at: now, logger: logger) {
            LimitName(number: $0).map { CountingRule($0.rule) }
        }
    }

    /// Whether the subject has succeeded from this device. Where there is no room, marks share a
    /// pool, which says nothing about anybody.
    func knows(_ subject: String, _ device: String, at now: Timestamp) -> Bool {
        guard !device.isEmpty else { return false }
        let verdict = table.decide(.peek, [mark(subject, device)], at: now)
        return verdict.isLimited && !verdict.isFull
    }

    /// Remembers that the subject has succeeded from this device.
    /// - Returns: false where there is no room.
    func mark(_ subject: String, _ device: String, at now: Timestamp) -> Bool {
        let mark = mark(subject, device)
        let verdict = table.decide(.peek, [mark], at: now)
        guard !verdict.isFull else { return false }
        guard TrustedLane.isDue(verdict, at: now) else { return true }
        if verdict.isLimited {
            _ = table.decide(.reset, [mark], at: now)
            _ = table.decide(.consume, [mark], at: now)
            return true
        }
        let account = LimitRequest(
            key: subjects.limitKey(.newDeviceByAccount, subject), rule: made, isShadow: false)
        return !table.decide(.consume, [mark, account], at: now).isFull
    }

    private func mark(_ subject: String, _ device: String) -> LimitRequest {
        let pair = TrustedLane.pair(subject, device)
        return LimitRequest(
            key: subjects.limitKey(.knownDevice, pair), rule: marked, isShadow: false)
    }
}

extension LimitJournalPlace {
    /// That of the devices: `ratelimit-devices.log.0` beside `ratelimit.sqlite`.
    static func devices(beside store: Store) -> LimitJournalPlace {
        let limits = LimitJournalPlace(beside: store)
        return LimitJournalPlace(folder: limits.folder, name: limits.name + "-devices")
    }
}
