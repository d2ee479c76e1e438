import CCurl
import Synchronization

/// The queue of transfers for the curl thread, and the place where their results are reported.
///
/// Bounded: beyond `transfersMax` a transfer fails at once with `.busy`. When a caller cancels or
/// the client is closed, the result is reported immediately, since a stalled server may block the
/// thread (`CurlThread`). The thread cleans up later.
///
/// The multi handle is stored here because waking the thread is the only operation that other
/// threads perform on it (curl_multi_wakeup(3) allows that). Every wake-up happens under the lock,
/// and the thread removes the handle under the same lock before it frees it, so that no wake-up can
/// use a freed handle.
final class TransferQueue: Sendable {
    /// Creates the handle of a transfer, with the options of its protocol, on the curl thread.
    typealias MakeHandle = @Sendable (OpenSockets) throws(CurlRefusal) -> EasyHandle
    typealias Finish = @Sendable (Result<TransferReport, TransferFailure>) -> Void

    /// The next work for the thread.
    struct Work: Sendable {
        var arrived: [(id: UInt64, makeHandle: MakeHandle)] = []
        var cancelled: [UInt64] = []
        var isClosing = false
    }

    private enum Phase {
        /// Has an id, but has not been submitted.
        case announced
        /// Submitted to the thread. The caller waits.
        case submitted(Finish)
        /// The caller has received its result. The thread may still run the transfer.
        case cancelled
    }

    private struct State {
        var work = Work()
        var phases: [UInt64: Phase] = [:]
        var nextID: UInt64 = 1
        var multi: Multi?
        var whenClosed: [@Sendable () -> Void] = []
    }

    private let transfersMax: Int
    private let state: Mutex<State>

    init(multi: Multi, transfersMax: Int) {
        self.transfersMax = transfersMax
        self.state = Mutex(State(multi: multi))
    }

    /// Returns an id for a transfer, so that it can be cancelled before it is submitted.
    func announce() -> UInt64 {
        state.withLock { state in
            defer { state.nextID += 1 }
            state.phases[state.nextID] = .announced
            return state.nextID
        }
    }

    /// Submits an announced transfer. `finish` is called exactly once, on any thread.
    func submit(_ id: UInt64, _ makeHandle: @escaping MakeHandle, finish: @escaping Finish) {
        let failure: TransferFailure? = state.withLock { state in
            if let failure = refusal(of: id, in: state) {
                state.phases[id] = nil
                return failure
            }
            state.phases[id] = .submitted(finish)
            state.work.arrived.append((id, makeHandle))
            state.multi?.wake()
            return nil
        }
        if let failure { finish(.failure(failure)) }
    }

    private func refusal(of id: UInt64, in state: State) -> TransferFailure? {
        if case .cancelled = state.phases[id] { return .cancelled }
        if state.work.isClosing { return .closed }
        return state.phases.count > transfersMax ? .busy : nil
    }

    /// Cancels a transfer. Does nothing when it has ended.
    func cancel(_ id: UInt64) {
        let finish = state.withLock { state -> Finish? in
            guard let phase = state.phases[id] else { return nil }
            state.phases[id] = .cancelled
            guard case .submitted(let finish) = phase else { return nil }
            state.work.cancelled.append(id)
            state.multi?.wake()
            return finish
        }
        finish?(.failure(.cancelled))
    }

    /// Cancels all transfers and ends the thread. `whenClosed` is called when it has ended.
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
        for finish in finishes { finish(.failure(.closed)) }
        if isClosed { whenClosed() }
    }

    // MARK: called on the curl thread

    func take() -> Work {
        state.withLock { state in
            defer { state.work = Work(isClosing: state.work.isClosing) }
            return state.work
        }
    }

    /// Called by the thread when a transfer has ended. Reports the result if the caller still
    /// waits.
    func end(_ id: UInt64, _ result: Result<TransferReport, TransferFailure>) {
        let phase = state.withLock { $0.phases.removeValue(forKey: id) }
        if case .submitted(let finish) = phase { finish(result) }
    }

    /// Removes the multi handle, after which no wake-up happens.
    func seal() -> [@Sendable () -> Void] {
        state.withLock { state in
            state.multi = nil
            defer { state.whenClosed = [] }
            return state.whenClosed
        }
    }

    /// libcurl's multi handle, as its pointer crosses threads.
    ///
    /// `@unchecked Sendable`: only `wake` is called outside the curl thread, which libcurl allows.
    struct Multi: @unchecked Sendable {
        let raw: UnsafeMutableRawPointer

        func wake() {
            // A failure means that the wake-up pipe is full, so the thread is about to wake
            // already.
            _ = curl_multi_wakeup(raw)
        }
    }
}
