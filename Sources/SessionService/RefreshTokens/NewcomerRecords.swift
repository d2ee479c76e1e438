import Contracts
import ServiceRuntime
import Storage
import Synchronization

/// Counts the records that newcomers' sessions leave in a day, and says when they leave no more
/// . A newcomer's session is a guest's, or in its first day.
///
/// Attack: a stranger collects guests by the thousand and lets each of them refresh its session as
/// often as it is recorded. Each time an audit row and a stored response are written.
///
/// Nothing is refused. Beyond the limit a newcomer's refreshes, proofs and refused tokens are counted
/// by network and minute (`AuditCounts`), and a lost response can be repeated within the grace only.
/// Sessions that are older, at the same address, are recorded as before.
///
/// The counters are in memory, 128 KiB; a restart resets them. Addresses whose keyed hashes begin
/// with the same two bytes share a counter.
final class NewcomerRecords: Sendable {
    /// How long a session is a newcomer's, and records are counted.
    static let window: Duration = .seconds(86_400)
    /// Records of the newcomers at one address in a window: 2 MiB of 512 bytes each.
    static let recordedMax: UInt16 = 4_096
    private static let countersMax = 1 << 16

    private struct Window {
        var begunAt = Timestamp(milliseconds: 0)
        var counters = [UInt16](repeating: 0, count: countersMax)

        /// A window of a clock that was set back is over, too.
        func isOver(at now: Timestamp) -> Bool {
            now < begunAt || now >= begunAt + NewcomerRecords.window
        }
    }

    private let window = Mutex(Window())

    /// Whether the next record of a newcomer at an address is written.
    func recordsNext(from origin: CallOrigin, at now: Timestamp) -> Bool {
        window.withLock { window in
            window.isOver(at: now) || window.counters[Self.place(of: origin)] < Self.recordedMax
        }
    }

    /// Counts a record of a newcomer after its commit.
    func count(from origin: CallOrigin, at now: Timestamp) {
        window.withLock { window in
            if window.isOver(at: now) {
                window = Window()
                window.begunAt = now
            }
            let place = Self.place(of: origin)
            if window.counters[place] < Self.recordedMax { window.counters[place] += 1 }
        }
    }

    /// Callers without an address share a counter.
    private static func place(of origin: CallOrigin) -> Int {
        (origin.customer ?? []).prefix(2).reduce(0) { $0 << 8 | Int($1) }
    }
}

extension Session {
    /// Whether it is a guest's, or in its first day.
    func isNewcomers(at moment: Timestamp) -> Bool {
        Authentication.guest.isPart(of: proofs.signIn.methods)
            || moment < createdAt + NewcomerRecords.window
    }
}
