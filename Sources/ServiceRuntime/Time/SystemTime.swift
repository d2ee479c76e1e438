package import Glibc
import Synchronization

/// The machine's clocks.
///
/// The wall clock is read once, at the start. From then on the time is that reading plus the
/// advance of the boot clock. A step of the wall clock while the program runs (an operator's
/// mistake, a hostile time server) therefore revives nothing that has expired and ends no session
/// (Sources/SECURITY.md, Clock). A start whose clock does not fit the store's mark continues from
/// the mark (`ClockStart`).
package final class SystemTime: Time {
    private let startedAt: Timestamp
    private let startedNanoseconds: UInt64
    private let startedUptime: Duration
    private let startedUptimeNanoseconds: Int64
    /// The kernel's id of this boot.
    package let boot: String?
    /// How far `goOn(from:)` has moved the time from the reading at the start, in milliseconds.
    private let moved = Atomic<Int64>(0)

    /// Reads the wall clock that `now()` is based on.
    package init() {
        let wall = Self.read(CLOCK_REALTIME)
        startedAt = Timestamp(milliseconds: wall.milliseconds)
        startedNanoseconds = wall.nanoseconds
        startedUptimeNanoseconds = Self.nanoseconds(CLOCK_BOOTTIME)
        startedUptime = .nanoseconds(startedUptimeNanoseconds)
        boot = Self.readBoot()
    }

    /// The wall clock at the start plus the time since then.
    package func now() -> Timestamp {
        let (sum, isOver) = unmoved.milliseconds.addingReportingOverflow(
            moved.load(ordering: .relaxed))
        return Timestamp(milliseconds: isOver ? .max : sum)
    }

    /// The current wall clock, steps included.
    package func wallClock() -> Timestamp {
        Timestamp(milliseconds: Self.read(CLOCK_REALTIME).milliseconds)
    }

    /// Counts from `moment` on.
    package func goOn(from moment: Timestamp) {
        moved.store((moment - unmoved).milliseconds, ordering: .relaxed)
    }

    /// Computed with integers for speed: every token validation calls this, and `Duration` divides
    /// 128-bit numbers.
    private var unmoved: Timestamp {
        let passed = (Self.nanoseconds(CLOCK_BOOTTIME) - startedUptimeNanoseconds) / 1_000_000
        return Timestamp(milliseconds: startedAt.milliseconds + passed)
    }

    /// Time since the machine started, including sleep (`CLOCK_BOOTTIME`).
    package func uptime() -> Duration { Self.read(CLOCK_BOOTTIME) }

    /// The wall clock at the start plus the time since then, in nanoseconds.
    package func unixNanoseconds() -> UInt64 {
        startedNanoseconds &+ (uptime() - startedUptime).nanoseconds
    }

    /// True when systemd-timesyncd has set the clock: it then creates this file, and `/run` is
    /// empty after a boot. Always false with other time synchronisation programs.
    package var isWallClockSynchronised: Bool {
        access("/run/systemd/timesync/synchronized", F_OK) == 0
    }

    /// Suspends the task.
    /// - Throws: `CancellationError` when the task is cancelled before `duration` has passed.
    package func sleep(for duration: Duration) async throws {
        try await Task.sleep(for: duration)
    }

    /// Reads `/proc/sys/kernel/random/boot_id` (proc(5)): a UUID and a newline.
    private static func readBoot() -> String? {
        guard
            case .success(let bytes) = FileText.read(
                "/proc/sys/kernel/random/boot_id", bytesMax: 64)
        else { return nil }
        let text = String(decoding: bytes.prefix { $0 > 0x20 }, as: UTF8.self)
        return text.isEmpty ? nil : text
    }

    /// The time of one of Linux's clocks (clock_gettime(2)), for what a test's time cannot stand
    /// for: waits for real sockets, and the CPU time of a thread.
    package static func read(_ clock: clockid_t) -> Duration { .nanoseconds(nanoseconds(clock)) }

    /// Does not overflow within three centuries after 1970.
    private static func nanoseconds(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        let result = clock_gettime(clock, &time)
        precondition(result == 0, "Linux has had these clocks since 2.6.39")
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
