import ServiceRuntime
import Synchronization

/// A proxy that simulates a bad network in front of a real port of this machine. It forwards bytes
/// both ways under faults. A test sets the faults of new connections and changes those of open
/// ones. One thread, plain sockets, repeatable from a seed.
package final class FaultProxy: Sendable {
    /// The port it listens on.
    package let port: Int
    private let orders: FaultOrders
    private let thread: OSThread

    /// Listens on a port that the system picks, and connects each client to `target`.
    /// - Parameter faults: The faults of a connection by its number, counted from 0.
    /// - Throws: if a socket, a pipe or the thread cannot be created.
    package init(
        to target: Int, seed: UInt64 = 1,
        faults: @escaping @Sendable (Int) -> ConnectionFaults = { _ in .none }
    ) throws {
        let listener = try LoopbackSocket.listening()
        port = listener.port
        let orders = try FaultOrders(faults)
        self.orders = orders
        thread = try OSThread {
            var loop = FaultLoop(
                listener, target: target, orders: orders, time: SystemTime(),
                randomness: SeededRandomness(seed: seed))
            loop.run()
        }
    }

    deinit { stop() }

    /// Sets the faults of all connections from now on, open and new ones.
    package func set(_ faults: ConnectionFaults) {
        orders.give { orders in
            orders.faults = { _ in faults }
            orders.change = faults
        }
    }

    /// Ends all faults from now on. Stalled bytes pass.
    package func clearFaults() { set(.none) }

    /// The number of open connections.
    package var openConnections: Int { orders.open.load(ordering: .acquiring) }

    /// The number of connections accepted so far.
    package var takenConnections: Int { orders.taken.load(ordering: .acquiring) }

    /// Closes everything and returns when the thread has ended. A second call does nothing.
    package func stop() {
        orders.give { $0.isStopping = true }
        thread.join()
    }
}
