import Glibc
import Synchronization

/// The machine's clocks.
///
/// The wall clock is read once, at the start; from then on the moment is that reading plus the
/// boot clock's advance. A step of the wall clock while running (an operator's mistake, a hostile
/// time server) therefore revives nothing that has expired and ends no session
/// (Sources/SECURITY.md, Clock). A start whose clock does not fit the store's mark goes on from the
/// mark (`ClockStart`).
package final class SystemTime: Time {
    private let startedAt: Timestamp
    private let startedNanoseconds: UInt64
    private let startedUptime: Duration
    private let startedUptimeNanoseconds: Int64
    /// The kernel's own name for this boot.
    package let boot: String?
    /// How far `goOn(from:)` has moved the moment from the reading at the start, in milliseconds.
    private let moved = Atomic<Int64>(0)

    /// Reads the wall clock for the only time that counts.
    package init() {
        let wall = Self.read(CLOCK_REALTIME)
        startedAt = Timestamp(milliseconds: wall.milliseconds)
        startedNanoseconds = wall.nanoseconds
        startedUptimeNanoseconds = Self.nanoseconds(CLOCK_BOOTTIME)
        startedUptime = .nanoseconds(startedUptimeNanoseconds)
        boot = Self.readBoot()
    }

    /// The wall clock at the start, and what has passed since.
    package func now() -> Timestamp {
        let (sum, isOver) = unmoved.milliseconds.addingReportingOverflow(
            moved.load(ordering: .relaxed))
        return Timestamp(milliseconds: isOver ? .max : sum)
    }

    /// The wall clock as it is, steps included.
    package func wallClock() -> Timestamp {
        Timestamp(milliseconds: Self.read(CLOCK_REALTIME).milliseconds)
    }

    /// Counts from `moment` on.
    package func goOn(from moment: Timestamp) {
        moved.store((moment - unmoved).milliseconds, ordering: .relaxed)
    }

    /// In whole numbers: every validation asks, and a `Duration` divides 128 bits.
    private var unmoved: Timestamp {
        let passed = (Self.nanoseconds(CLOCK_BOOTTIME) - startedUptimeNanoseconds) / 1_000_000
        return Timestamp(milliseconds: startedAt.milliseconds + passed)
    }

    /// Time since the machine started, its sleep included (`CLOCK_BOOTTIME`).
    package func uptime() -> Duration { Self.read(CLOCK_BOOTTIME) }

    /// The wall clock at the start to the nanosecond, and what has passed since.
    package func unixNanoseconds() -> UInt64 {
        startedNanoseconds &+ (uptime() - startedUptime).nanoseconds
    }

    /// By the word of systemd-timesyncd, which makes this file when it has set the clock; `/run` is
    /// empty after a boot. Where another program keeps the time there is no such word.
    package var isWallClockSynchronised: Bool {
        access("/run/systemd/timesync/synchronized", F_OK) == 0
    }

    /// Suspends the task.
    package func sleep(for duration: Duration) async throws {
        try await Task.sleep(for: duration)
    }

    /// Of proc(5), `/proc/sys/kernel/random/boot_id`: a UUID and a line's end.
    private static func readBoot() -> String? {
        guard
            case .success(let bytes) = FileText.read(
                "/proc/sys/kernel/random/boot_id", bytesMax: 64)
        else { return nil }
        let text = String(decoding: bytes.prefix { $0 > 0x20 }, as: UTF8.self)
        return text.isEmpty ? nil : text
    }

    private static func read(_ clock: clockid_t) -> Duration { .nanoseconds(nanoseconds(clock)) }

    /// Good for three centuries after 1970.
    private static func nanoseconds(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        let result = clock_gettime(clock, &time)
        precondition(result == 0, "Linux has had both clocks since 2.6.39")
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
