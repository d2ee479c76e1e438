import Glibc

/// Ctrl-C and `kill`, received synchronously where the supervisor waits, so that no signal handler
/// interrupts other code.
struct StopSignals {
    private var signals = sigset_t()

    /// Blocks the signals from now on; they stay pending until `arrive`.
    init() {
        sigemptyset(&signals)
        for signal in [SIGINT, SIGTERM, SIGHUP] { sigaddset(&signals, signal) }
        sigprocmask(SIG_BLOCK, &signals, nil)
    }

    /// Whether a signal arrives within `milliseconds`.
    func arrive(within milliseconds: Int) -> Bool {
        var wait = timespec(
            tv_sec: milliseconds / 1_000, tv_nsec: milliseconds % 1_000 * 1_000_000)
        var signals = signals
        return sigtimedwait(&signals, nil, &wait) > 0
    }
}
