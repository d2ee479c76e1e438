import Glibc
import Synchronization

/// The state that a proxy shares with its thread: orders in one direction, counts in the other.
final class FaultOrders: Sendable {
    struct State {
        /// The faults of a new connection.
        var faults: @Sendable (Int) -> ConnectionFaults
        /// The faults that open connections get from now on.
        var change: ConnectionFaults?
        var isStopping = false
    }

    let open = Atomic<Int>(0)
    let taken = Atomic<Int>(0)
    /// Readable when there are orders: the read end of a pipe.
    let wakeRead: Int32
    private let wakeWrite: Int32
    private let state: Mutex<State>

    init(_ faults: @escaping @Sendable (Int) -> ConnectionFaults) throws {
        state = Mutex(State(faults: faults))
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw LoopbackSocket.Refused(call: "pipe", reason: errno) }
        for end in ends { LoopbackSocket.makeNonBlocking(end) }
        (wakeRead, wakeWrite) = (ends[0], ends[1])
    }

    deinit {
        close(wakeRead)
        close(wakeWrite)
    }

    /// Changes the orders and wakes the thread.
    func give(_ change: (inout State) -> Void) {
        state.withLock { change(&$0) }
        _ = write(wakeWrite, [1], 1)  // if the pipe is full, the thread is already signalled
    }

    /// Returns the current orders. The change for open connections is returned only once.
    func take() -> State {
        var drained = [UInt8](repeating: 0, count: 256)
        _ = read(wakeRead, &drained, drained.count)
        return state.withLock { state in
            defer { state.change = nil }
            return state
        }
    }
}
