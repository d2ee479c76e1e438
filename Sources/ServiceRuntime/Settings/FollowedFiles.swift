package import Logging
package import Metrics
import Synchronization

/// An operator's file or folder that is read again while the program runs. A change takes effect a
/// few seconds later. An invalid file changes nothing, and all its errors are logged once. While it
/// is invalid, the gauge `file_reload_failed` is 1, because a restart would fail.
///
/// The files are read whole each time: they are small, and modification times and sizes are not
/// reliable. A change is used only when two reads in a row return the same content, since a file
/// that is only partly written can be valid by chance.
package final class FollowedFiles<Source: Equatable & Sendable>: Sendable {
    /// What the log says about a change.
    package struct Log: Sendable {
        let logger: Logger
        let reloaded: (code: StaticString, message: StaticString)
        let failed: (code: StaticString, message: StaticString)

        /// - Parameters:
        ///   - reloaded: A change is in use.
        ///   - failed: A change has problems, and the earlier content stays in use.
        package init(
            _ logger: Logger, reloaded: (code: StaticString, message: StaticString),
            failed: (code: StaticString, message: StaticString)
        ) {
            self.logger = logger
            self.reloaded = reloaded
            self.failed = failed
        }
    }

    private struct State {
        /// The content that was last used or rejected.
        var settled: Source
        /// A change that has been read once.
        var pending: Source?
    }

    /// How often to look. Short, since operators wait for a saved file to take effect.
    package static var interval: Duration { .seconds(2) }

    private let path: String
    private let log: Log
    private let failed: Gauge
    private let state: Mutex<State>
    private let read: @Sendable () -> Source
    private let use: @Sendable (Source) -> [String]

    /// Follows the content that `read` returns.
    /// - Parameters:
    ///   - path: The file or folder, for the log.
    ///   - setting: The setting that names it, for the metric.
    ///   - current: The content that was read at the start.
    ///   - use: Applies a change, or returns its problems.
    package init(
        _ path: String, setting: String, current: Source, log: Log,
        metrics: any MetricsFactory = MetricsSystem.factory,
        read: @escaping @Sendable () -> Source,
        use: @escaping @Sendable (Source) -> [String]
    ) {
        self.path = path
        self.log = log
        state = Mutex(State(settled: current))
        self.read = read
        self.use = use
        failed = Gauge(
            label: "file_reload_failed", dimensions: [("setting", setting)], factory: metrics)
        failed.record(0)
    }

    /// Looks at each interval, until cancelled.
    package func run(_ time: any Time) async {
        while true {
            do {
                try await time.sleep(for: Self.interval)
            } catch {
                return  // cancelled, the normal end
            }
            look()
        }
    }

    /// Reads once. A change takes effect when two reads in a row are equal.
    package func look() {
        guard let source = confirmedChange() else { return }
        let problems = use(source)
        failed.record(problems.isEmpty ? 0 : 1)
        guard !problems.isEmpty else {
            return log.logger.info(
                log.reloaded.code, log.reloaded.message, fields: [.file: .text(path)])
        }
        log.logger.error(
            log.failed.code, log.failed.message,
            fields: [
                .file: .text(path), .count: .count(problems.count),
                .detail: .text(problems.joined(separator: "; ")),
            ])
    }

    /// Reads once. A change that has now been read twice in a row, else nil.
    private func confirmedChange() -> Source? {
        let source = read()
        return state.withLock { state in
            guard source != state.settled else {
                state.pending = nil
                return nil
            }
            guard source == state.pending else {
                state.pending = source
                return nil
            }
            state = State(settled: source)
            return source
        }
    }
}
