import ServiceRuntime
import Synchronization

/// A proxy of a bad network in front of a real port of this machine: passes bytes both ways under
/// faults that a test sets for connections to come and changes on those that are open. One thread,
/// plain sockets, repeatable from a seed.
package final class FaultProxy: Sendable {
    /// Where it listens.
    package let port: Int
    private let orders: FaultOrders
    private let thread: FaultThread

    /// Listens on a port that the system picks, and connects each caller to `target`.
    /// - Parameter faults: those of the connection of that number, counted from 0.
    package init(
        to target: Int, seed: UInt64 = 1,
        faults: @escaping @Sendable (Int) -> ConnectionFaults = { _ in .none }
    ) throws {
        let listener = try LoopbackSocket.listening()
        port = listener.port
        let orders = try FaultOrders(faults)
        self.orders = orders
        thread = try FaultThread {
            var loop = FaultLoop(
                listener, target: target, orders: orders, time: SystemTime(),
                randomness: SeededRandomness(seed: seed))
            loop.run()
        }
    }

    deinit { stop() }

    /// The faults of all connections from now on, open ones and those to come.
    package func set(_ faults: ConnectionFaults) {
        orders.give { orders in
            orders.faults = { _ in faults }
            orders.change = faults
        }
    }

    /// A good network from now on; what was stalled passes.
    package func heal() { set(.none) }

    /// Connections that are open.
    package var openConnections: Int { orders.open.load(ordering: .acquiring) }

    /// Connections that were ever taken.
    package var takenConnections: Int { orders.taken.load(ordering: .acquiring) }

    /// Closes everything; returns when its thread has ended. A second call does nothing.
    package func stop() {
        orders.give { $0.isStopping = true }
        thread.join()
    }
}
