import Glibc
import ServiceRuntime
import Synchronization

/// The loop of a proxy's thread. It waits for bytes, orders or the next due time, and then serves
/// each connection.
struct FaultLoop {
    private let listener: LoopbackSocket
    private let target: Int
    private let orders: FaultOrders
    private let time: any Time
    private let randomness: SeededRandomness
    private var connections: [FaultConnection] = []
    private var takenCount = 0

    init(
        _ listener: LoopbackSocket, target: Int, orders: FaultOrders, time: any Time,
        randomness: SeededRandomness
    ) {
        self.listener = listener
        self.target = target
        self.orders = orders
        self.time = time
        self.randomness = randomness
    }

    mutating func run() {
        while true {
            let ready = wait()
            let current = orders.take()
            if current.isStopping { break }
            let uptime = time.uptime()
            if let change = current.change {
                for index in connections.indices {
                    connections[index].change(to: change, at: uptime)
                }
            }
            turn(ready, at: uptime)
            while let caller = listener.accepted() { take(caller, current.faults, at: uptime) }
            connections.removeAll(where: \.isClosed)
            orders.open.store(connections.count, ordering: .releasing)
        }
        connections = []
        orders.open.store(0, ordering: .releasing)
    }

    /// - Returns: the poll results of the connections' sockets, two for each connection.
    private func wait() -> ArraySlice<pollfd> {
        var polls = [
            pollfd(fd: orders.wakeRead, events: Int16(POLLIN), revents: 0),
            pollfd(fd: listener.descriptor, events: Int16(POLLIN), revents: 0),
        ]
        for connection in connections { polls += connection.polls }
        let due = connections.compactMap(\.due).min()
        // Rounded up. Otherwise the loop would spin through the last millisecond with nothing due.
        let left = due.map { max(.zero, $0 - time.uptime()).milliseconds + 1 } ?? -1
        poll(&polls, nfds_t(polls.count), Int32(clamping: left))
        return polls[2...]
    }

    private mutating func turn(_ ready: ArraySlice<pollfd>, at uptime: Duration) {
        for index in connections.indices {
            let first = ready.startIndex + 2 * index
            connections[index].turn(
                Array(ready[first..<first + 2]), at: uptime, jitter: randomness.next())
        }
    }

    private mutating func take(
        _ caller: LoopbackSocket, _ faults: (Int) -> ConnectionFaults, at uptime: Duration
    ) {
        let number = takenCount
        takenCount += 1
        orders.taken.store(takenCount, ordering: .releasing)
        guard let server = try? LoopbackSocket.connecting(to: target) else {
            return caller.resetOnClose()  // no server: the client sees the same as without a proxy
        }
        connections.append(FaultConnection(caller: caller, server: server, faults(number)))
    }
}
