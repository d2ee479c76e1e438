import Foundation
import TestSupport

/// What another process sees of the steps of one deletion, which it looks for several times in each
/// millisecond; a call of the tool takes longer than all steps together.
struct StepWatch: Sendable {
    /// Prints each step that it sees, with the microseconds since the first one. The last line is
    /// `killed` with the step, 0 after the last one, or `end` when the row is gone.
    private static let watching = """
        import os, sqlite3, sys, time
        path, ready, account, step, delay, victim = *sys.argv[1:3], *map(int, sys.argv[3:])
        store = sqlite3.connect(f"file:{path}?mode=ro", uri=True, isolation_level=None)
        query = "SELECT step FROM deletions WHERE account = ? AND step > 0"
        store.execute(query, [account]).fetchone()
        open(ready, "w").close()
        first, last, deadline = None, 0, time.monotonic() + 30
        while time.monotonic() < deadline:
            try:
                row = store.execute(query, [account]).fetchone()
            except sqlite3.OperationalError:
                continue
            now = time.monotonic()
            if row is None and first is None:
                time.sleep(0.0002)
                continue
            first = first or now
            if row is not None and row[0] != last:
                last = row[0]
                print(last, round((now - first) * 1_000_000))
            if victim and (row is None or last >= step):
                time.sleep(delay / 1_000_000)
                os.kill(victim, 9)
                print("killed", last if row else 0)
                break
            if row is None:
                print("end", round((now - first) * 1_000_000))
                break
            time.sleep(0.0002)
        """

    /// The steps that were seen, each with the time since the first one.
    private(set) var begun: [Int: Duration] = [:]
    /// The time until the row was gone; nil if a program was killed before.
    private(set) var whole: Duration?
    /// The step in which the program was killed; 0 if the row was gone before, nil without a kill.
    private(set) var killedIn: Int?

    /// How long it was until the next step that was seen; nil if this one was too short to be seen.
    func time(of step: Int) -> Duration? {
        begun[step].map { start in
            (begun.filter { $0.key > step }.values.min() ?? whole ?? start) - start
        }
    }

    /// Watches a deletion that `act` begins.
    /// - Parameters:
    ///   - account: its number.
    ///   - step: the step in which a program is killed; the next one, if it is not seen.
    ///   - delay: the time from there to the kill.
    ///   - victim: the process to kill; 0 for none.
    init(
        of account: Int64, _ cluster: Cluster, killing victim: pid_t = 0, in step: Int = 1,
        after delay: Duration = .zero, _ act: () async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        let arguments = [
            "\(cluster.data)/data/identity.sqlite", folder.file("ready"), "\(account)",
            "\(step)", "\(Int(delay / .microseconds(1)))", "\(victim)",
        ]
        async let watch = ProgramRun.run(
            path: "/usr/bin/env", ["python3", "-c", Self.watching] + arguments,
            limit: .seconds(40))
        let isReady = try await eventually {
            FileManager.default.fileExists(atPath: folder.file("ready"))
        }
        guard isReady else { throw ClusterError(message: "the watch does not begin") }
        try await act()
        let run = try await watch
        for line in run.output.split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.count == 2, let number = Int(words[1]) else { continue }
            if let step = Int(words[0]) { begun[step] = .microseconds(number) }
            if words[0] == "end" { whole = .microseconds(number) }
            if words[0] == "killed" { killedIn = number }
        }
        guard run.exitCode == 0, !begun.isEmpty else {
            throw ClusterError(message: "the watch saw no step: \(run)")
        }
    }
}
