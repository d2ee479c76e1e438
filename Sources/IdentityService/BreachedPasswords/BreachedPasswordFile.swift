import Logging
import Metrics
import ServiceRuntime
import Synchronization

/// The operator's file of leaked passwords, searched on a thread of its own: a disk may block for
/// long. A file that is replaced is used from a few seconds later on; one with mistakes leaves the
/// former open.
final class BreachedPasswordFile: BreachedPasswordSource {
    /// Look-ups that wait for the thread. A quarter of the places that an identity has for costly
    /// calls by default, so that a slow disk does not hold all of them.
    static let waitingMax = 64

    let isLocal = true
    private let path: String
    private let stamp: FileStamp?
    private let lookUps: LookUps

    /// Starts the thread.
    /// - Parameter list: The content of the file at `path`.
    /// - Throws: `OSThread.NotStarted`.
    init(path: String, list: BreachedPasswordList) throws {
        self.path = path
        stamp = FileStamp(at: path)
        let lookUps = LookUps(list)
        self.lookUps = lookUps
        _ = try OSThread { lookUps.work() }
    }

    deinit { lookUps.close() }

    /// How many leaks had a password. A look-up whose caller has gone is not begun.
    func count(of password: PasswordSHA1) async -> Result<Int, BreachFailure> {
        let lookUp = LookUp(of: password)
        return await withTaskCancellationHandler {
            await withCheckedContinuation { caller in
                lookUp.begin(caller)
                // A cancellation before `begin` has found no caller; one from then on finds it.
                if Task.isCancelled {
                    lookUp.end(.failure(.skipped("cancelled")))
                } else if !lookUps.offer(lookUp) {
                    lookUp.end(.failure(.skipped("busy")))
                }
            }
        } onCancel: {
            lookUp.end(.failure(.skipped("cancelled")))
        }
    }

    /// The file, to be opened again when it is replaced.
    func followed(
        _ logger: Logger, _ metrics: any MetricsFactory
    ) -> FollowedFiles<FileStamp?>? {
        let path = path
        return FollowedFiles(
            path, setting: "breached-passwords-file", current: stamp,
            log: .init(
                logger,
                reloaded: (
                    "identity.breached_passwords.reloaded", "file of leaked passwords reloaded"
                ),
                failed: (
                    "identity.breached_passwords.reload.failed",
                    "reloading the file of leaked passwords failed; the previous one stays in use"
                )), metrics: metrics,
            read: { FileStamp(at: path) },
            use: { [lookUps] _ in
                do throws(BreachedListMistake) {
                    lookUps.list.replace(try BreachedPasswordList(path: path))
                    return []
                } catch {
                    return ["it \(error.text)"]
                }
            })
    }
}

/// One look-up, and the caller that waits for it.
private final class LookUp: Sendable {
    let password: PasswordSHA1
    private let caller = Mutex<CheckedContinuation<Result<Int, BreachFailure>, Never>?>(nil)

    init(of password: PasswordSHA1) { self.password = password }

    /// Whether the caller still waits.
    var isAwaited: Bool { caller.withLock { $0 != nil } }

    func begin(_ caller: CheckedContinuation<Result<Int, BreachFailure>, Never>) {
        self.caller.withLock { $0 = caller }
    }

    /// Answers the caller; without one, or a second time, does nothing.
    func end(_ result: Result<Int, BreachFailure>) {
        let waiting = caller.withLock { caller in
            defer { caller = nil }
            return caller
        }
        waiting?.resume(returning: result)
    }
}

/// What the thread and its callers share. The thread has no reference to `BreachedPasswordFile`, so
/// that an unused one ends it.
private final class LookUps: Sendable {
    private struct State {
        var waiting: [LookUp] = []
        var isClosed = false
    }

    let list: Reloadable<BreachedPasswordList>
    private let state = Mutex(State())
    private let wakeUps = Semaphore()

    init(_ list: BreachedPasswordList) { self.list = Reloadable(list) }

    /// Whether there was room.
    func offer(_ lookUp: LookUp) -> Bool {
        let isTaken = state.withLock { state in
            guard !state.isClosed, state.waiting.count < BreachedPasswordFile.waitingMax else {
                return false
            }
            state.waiting.append(lookUp)
            return true
        }
        if isTaken { wakeUps.wake() }
        return isTaken
    }

    /// Ends the thread, after the look-up that runs.
    func close() {
        let waiting = state.withLock { state in
            state.isClosed = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for lookUp in waiting { lookUp.end(.failure(.skipped("closed"))) }
        wakeUps.wake()
    }

    /// The thread.
    func work() {
        while true {
            wakeUps.wait()
            let (next, isClosed) = state.withLock { state in
                (state.waiting.isEmpty ? nil : state.waiting.removeFirst(), state.isClosed)
            }
            if let next, next.isAwaited { next.end(answer(to: next)) }
            if isClosed { return }
        }
    }

    private func answer(to lookUp: LookUp) -> Result<Int, BreachFailure> {
        do throws(BreachedListMistake) {
            return .success(try list.value.count(of: lookUp.password))
        } catch {
            return .failure(.failed("the file \(error.text)"))
        }
    }
}
