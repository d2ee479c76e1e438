import Glibc

/// Ctrl-C and `kill`, taken one at a time where the supervisor waits, so that no handler runs in
/// the middle of anything.
struct StopSignals {
    private var signals = sigset_t()

    /// From now on the signals wait until asked for.
    init() {
        sigemptyset(&signals)
        for signal in [SIGINT, SIGTERM, SIGHUP] { sigaddset(&signals, signal) }
        sigprocmask(SIG_BLOCK, &signals, nil)
    }

    /// Whether one comes within `milliseconds`.
    func arrive(within milliseconds: Int) -> Bool {
        var wait = timespec(
            tv_sec: milliseconds / 1_000, tv_nsec: milliseconds % 1_000 * 1_000_000)
        var signals = signals
        return sigtimedwait(&signals, nil, &wait) > 0
    }
}
