import CCurl
import Synchronization

/// Where transfers wait for the curl thread, and where their callers are told the end.
///
/// Bounded: past `transfersMax` the answer is `.busy`, at once. A caller that gives up, or a client
/// that is closed, is answered here and now, since the thread may be held up by a server that has
/// stalled (`CurlThread`); the thread cleans up when it comes by.
///
/// The multi handle lives here because waking the thread is the one thing that other threads do
/// with it (curl_multi_wakeup(3) allows that). Every wake-up happens under the lock, and the thread
/// takes the handle out under the same lock before it frees it, so none can come too late.
final class TransferQueue: Sendable {
    typealias Finish = @Sendable (TransferEnd) -> Void

    /// What the thread is to do next.
    struct Work: Sendable {
        var arrived: [(id: UInt64, order: TransferOrder)] = []
        var cancelled: [UInt64] = []
        var isClosing = false
    }

    private enum Phase {
        /// Has a number, is not here yet.
        case announced
        /// The thread's; its caller waits.
        case submitted(Finish)
        /// Its caller has been told; the thread may still have it.
        case cancelled
    }

    private struct State {
        var work = Work()
        var phases: [UInt64: Phase] = [:]
        var nextID: UInt64 = 1
        var multi: MultiHandle?
        var whenClosed: [@Sendable () -> Void] = []
    }

    private let transfersMax: Int
    private let state: Mutex<State>

    init(multi: MultiHandle, transfersMax: Int) {
        self.transfersMax = transfersMax
        self.state = Mutex(State(multi: multi))
    }

    /// A number for a transfer to come, so that it can be cancelled before it is submitted.
    func announce() -> UInt64 {
        state.withLock { state in
            defer { state.nextID += 1 }
            state.phases[state.nextID] = .announced
            return state.nextID
        }
    }

    /// Hands an announced transfer over; `finish` is called exactly once, from any thread.
    func submit(_ id: UInt64, _ order: TransferOrder, finish: @escaping Finish) {
        let failure: TransferFailure? = state.withLock { state in
            if let failure = refusal(of: id, in: state) {
                state.phases[id] = nil
                return failure
            }
            state.phases[id] = .submitted(finish)
            state.work.arrived.append((id, order))
            state.multi?.wake()
            return nil
        }
        if let failure { finish(.notRun(failure)) }
    }

    private func refusal(of id: UInt64, in state: State) -> TransferFailure? {
        if case .cancelled = state.phases[id] { return .cancelled }
        if state.work.isClosing { return .closed }
        return state.phases.count > transfersMax ? .busy : nil
    }

    /// Gives a transfer up; nothing happens when it has ended.
    func cancel(_ id: UInt64) {
        let finish = state.withLock { state -> Finish? in
            guard let phase = state.phases[id] else { return nil }
            state.phases[id] = .cancelled
            guard case .submitted(let finish) = phase else { return nil }
            state.work.cancelled.append(id)
            state.multi?.wake()
            return finish
        }
        finish?(.notRun(.cancelled))
    }

    /// Gives everything up and ends the thread; `whenClosed` is called when it has ended.
    func close(whenClosed: @escaping @Sendable () -> Void) {
        let (finishes, isClosed) = state.withLock { state in
            state.work.isClosing = true
            var finishes: [Finish] = []
            for (id, phase) in state.phases {
                guard case .submitted(let finish) = phase else { continue }
                state.phases[id] = .cancelled
                finishes.append(finish)
            }
            if state.multi != nil { state.whenClosed.append(whenClosed) }
            state.multi?.wake()
            return (finishes, state.multi == nil)
        }
        for finish in finishes { finish(.notRun(.closed)) }
        if isClosed { whenClosed() }
    }

    // MARK: the thread's side

    func take() -> Work {
        state.withLock { state in
            defer { state.work = Work(isClosing: state.work.isClosing) }
            return state.work
        }
    }

    /// The thread is done with a transfer: tells its caller, if that still waits.
    func end(_ id: UInt64, _ end: TransferEnd) {
        let phase = state.withLock { $0.phases.removeValue(forKey: id) }
        if case .submitted(let finish) = phase { finish(end) }
    }

    /// Takes the multi handle away, after which nobody wakes the thread.
    func seal() -> [@Sendable () -> Void] {
        state.withLock { state in
            state.multi = nil
            defer { state.whenClosed = [] }
            return state.whenClosed
        }
    }
}

/// libcurl's multi handle, where its pointer crosses threads.
///
/// `@unchecked Sendable`: only `wake` is called off the curl thread, which libcurl allows.
struct MultiHandle: @unchecked Sendable {
    let raw: UnsafeMutableRawPointer

    func wake() {
        // A failure means that the wake-up pipe is full: the thread is being woken already.
        _ = curl_multi_wakeup(raw)
    }
}
